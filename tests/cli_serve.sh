#!/bin/sh
# cli_serve.sh - the server of the page: starts, refuses, works, ends
. tests/lib.sh

# --no-open, or nothing
opening=--no-open

# start OPTION... - starts a server; leaves $server, $port and $token
start () {
  : >address
  # A shell lets what it starts in the background ignore SIGINT.
  TMPDIR=$FOLDER/temporary perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
    "$TESSERA" serve $opening "$@" >address 2>server_err &
  server=$!
  for _ in $(seq 100); do
    [ -s address ] && break
    sleep 0.1
  done
  port=$(sed 's/.*127.0.0.1:\([0-9]*\).*/\1/' address)
  token=$(sed 's/.*#//' address)
}

# stop SIGNAL - ends it; leaves $status
stop () {
  kill "-$1" "$server"
  wait "$server"
  status=$?
}

trap 'kill $server 2>/dev/null; rm -rf "$FOLDER"' EXIT

# ask METHOD PATH [OPTION...] - with the key; leaves $code and the file answer
ask () {
  perl "$ROOT/tests/httpclient.pl" "$port" "$@" "X-Tessera-Key:$key" >reply
  code=$(head -n 1 reply)
  sed 1d reply >answer
}

# answers NAME CODE METHOD PATH [OPTION...]
answers () {
  name=$1 expected=$2
  shift 2
  ask "$@"
  ok "$name" [ "$code" = "$expected" ]
  [ "$code" = "$expected" ] || { echo "# $code"; sed 's/^/# /' answer; }
}

# refused NAME METHOD PATH [OPTION...] - there is nothing, and it is said so
refused () {
  name=$1
  shift
  ask "$@"
  ok "$name" [ "${code%??}" = 4 ]
  ok "... is explained" [ -n "$(value error)" ]
}

# value KEY - from the answer
value () {
  perl -0ne 'print $1 if /"'"$1"'" : "?([^",\n}]*)/' answer
}

# finished - waits for job number $job; leaves its state in answer
finished () {
  for _ in $(seq 600); do
    ask GET "/api/jobs/$job"
    case $(value state) in
    waiting | running) sleep 0.1 ;;
    *) break ;;
    esac
  done
  [ "$(value state)" = "$1" ]
}

# children - the processes that the server has started
children () {
  cat /proc/[0-9]*/stat 2>/dev/null \
    | perl -ne 'print "$1\n" if /^(\d+) \(.*\) [^Z] '"$server"' /'
}

# ---- starting ----

mkdir temporary named
start --folder named
key=
ok "prints its address" grep -q '^http://127.0.0.1:[0-9]*/#[0-9a-f]\{32\}$' \
  address
ok "listens on the loopback interface only" perl -e '
  my ($port) = @ARGV;
  open my $in, "<", "/proc/net/tcp" or exit 0;
  my @here = map { (split)[1] } grep { (split)[3] eq "0A" } <$in>;
  my @ours = grep { /:\Q@{[sprintf "%04X", $port]}\E$/ } @here;
  exit !(@ours == 1 && $ours[0] =~ /^0100007F:/);' "$port"
expect "a port that is taken" 1 serve --no-open --port "$port"
ok "... and what to do" says "--port"
expect "a port that is none" 2 serve --port 65536
expect "a picture that is none" 3 serve photo.png
ok "... by name" says "photo.png"
expect "a folder that is none" 2 serve --folder nowhere

# ---- who may ask ----

answers "the page needs no key" 200 GET /
for path in /page.css /main.js /view.js /icon.svg; do
  answers "nor does $path" 200 GET "$path"
done
answers "all else does" 403 GET /api/about
answers "... uploading too" 403 POST /api/photos @address
ok "... and says so" grep -q "tessera serve" answer
key=00000000000000000000000000000000
answers "a wrong key" 403 GET /api/about
echo "0123456789abcdef0123456789abcdef" | tr -d '\n' >wrong
answers "a wrong token" 403 POST /api/session @wrong
printf '%s' "$token" >right
answers "the token" 200 POST /api/session @right
key=$(value key)
answers "... gives the key" 200 GET /api/about
ok "... and the formats" grep -q '"formats" : "PNG, JPEG' answer
answers "... once" 403 POST /api/session @right

for host in evil.example "evil.example:$port" 127.0.0.1 localhost:1 \
  "127.0.0.1:$port.evil.example" "[::1]:$port"; do
  answers "Host: $host" 403 GET /api/about "Host:$host"
  answers "... not even for the page" 403 GET / "Host:$host"
done
answers "no Host at all" 403 GET / "Host:"
answers "Host: localhost" 200 GET /api/about "Host:localhost:$port"
for origin in http://evil.example null "http://127.0.0.1:1" \
  "https://127.0.0.1:$port" "http://127.0.0.1:$port.evil.example"; do
  answers "Origin: $origin" 403 GET /api/about "Origin:$origin"
done
answers "our own Origin" 200 GET /api/about "Origin:http://127.0.0.1:$port"
for site in cross-site same-site; do
  answers "a request from a $site page" 403 GET /api/about \
    "Sec-Fetch-Site:$site"
  answers "... not even for the page" 403 GET / "Sec-Fetch-Site:$site"
done
answers "a browser that follows a link to the page" 200 GET / \
  Sec-Fetch-Site:cross-site Sec-Fetch-Mode:navigate Sec-Fetch-Dest:document
answers "... not in a frame" 403 GET / \
  Sec-Fetch-Site:cross-site Sec-Fetch-Mode:navigate Sec-Fetch-Dest:iframe
answers "... nor to anything else" 403 GET /api/about \
  Sec-Fetch-Site:cross-site Sec-Fetch-Mode:navigate Sec-Fetch-Dest:document
answers "... nor to another host" 403 GET / Host:evil.example \
  Sec-Fetch-Site:cross-site Sec-Fetch-Mode:navigate Sec-Fetch-Dest:document
answers "a preflight" 405 OPTIONS /api/photos "Origin:http://evil.example" \
  "Access-Control-Request-Method:POST"

SHOW_HEAD=1 perl "$ROOT/tests/httpclient.pl" "$port" GET / >reply
ok "no script from elsewhere or inline" grep -q \
  "^Content-Security-Policy: default-src 'none'; script-src 'self';" reply
ok "no type guessed" grep -q "^X-Content-Type-Options: nosniff" reply
ok "no address told" grep -q "^Referrer-Policy: no-referrer" reply
ok "nothing kept" grep -q "^Cache-Control: no-store" reply

# ---- paths ----

for path in /nothing /../etc/passwd /..%2f..%2fetc%2fpasswd //etc/passwd \
  /api /api/ /api/photos/ /api/nothing /./page.css /page.css/ \
  /app/page/page.css "/page.css%00.png"; do
  refused "no file at $path" GET "$path"
done
answers "a long path" 414 GET "/$(printf '%0500d' 0)"
answers "a report that is none" 422 GET \
  /report/00000000000000000000000000000000/index.html
answers "an unknown method" 405 PUT /api/photos

# ---- photographs ----

make_png photo.png 64 48 '128 + 100 * sin ($x / 9 + $c) * cos ($y / 7)'
make_png mask.png 64 48 '($x > 20 && $x < 30 && $y > 20 && $y < 30) * 255'
make_png other.png 32 48 '255'
head -c 700 photo.png >short.png
perl -e "$PNG"'print png (2147483647, 2147483647, 2, "\0")' >huge.png
: >empty

answers "a picture" 200 POST "/api/photos?name=..%2F..%2Fph%0aoto.png" \
  @photo.png
id=$(value id)
ok "... has its size" [ "$(value width)x$(value height)" = 64x48 ]
ok "... and a harmless name" [ "$(value name)" = photo.png ]
for file in short.png empty address; do
  answers "no picture: $file" 422 POST /api/photos "@$file"
done
answers "a picture that is too large" 503 POST /api/photos @huge.png
for path in "view?version=1" "view?version=x" "view?x=64" "view?w=65" \
  "view?x=60&w=5" "view?side=0" "view?side=99999" "view?h=-1" \
  "picture?version=9" found; do
  refused "no such $path" GET "/api/photos/$id/$path"
done
answers "another picture" 422 GET /api/photos/0/view
ask GET "/api/photos/$id/view?x=3&y=4&w=10&h=9" ">view.jpg"
ok "a part of the picture" perl -0777 -ne \
  'exit !/^\xff\xd8.*\xff\xc0\0\x11\x08\0\x09\0\x0a/s' view.jpg
ask GET "/api/photos/$id/picture" ">same.png"
run score photo.png same.png --json
ok "... and all of it, unchanged" [ "$(json identical)" = true ]

# ---- masks and work ----

ask POST "/api/photos/$id/mask/picture" @mask.png ">runs"
ok "a mask picture becomes runs" [ "$(wc -c <runs)" -gt 9 ]
answers "... but not one of another size" 422 POST \
  "/api/photos/$id/mask/picture" @other.png
ask POST "/api/photos/$id/mask/runs" @runs ">mask2.png"
make_png empty.png 64 48 0
expect "the mask by hand" 0 inpaint photo.png --mask mask.png -q \
  -o expected.png
expect "the mask that came back" 0 inpaint photo.png --mask mask2.png -q \
  -o expected2.png
expect "no mask at all" 0 inpaint photo.png --mask empty.png -q -o as_is.png
ok "... is the same mask" cmp -s expected.png expected2.png
ok "... and not an empty one" not cmp -s expected.png as_is.png

answers "nonsense as a mask" 422 POST "/api/photos/$id/jobs?task=fill" \
  @photo.png
answers "an unknown task" 400 POST "/api/photos/$id/jobs?task=eat"
answers "an unknown dictionary" 422 POST \
  "/api/photos/$id/jobs?task=fill&dictionary=99" @runs
answers "an unknown version" 422 POST \
  "/api/photos/$id/jobs?task=fill&version=7" @runs
answers "filling" 200 POST "/api/photos/$id/jobs?task=fill" @runs
job=$(value job)
ok "... is done" finished done
ok "... gives a version" [ "$(value version)" = 1 ]
ask GET "/api/photos/$id/picture?version=1" ">mended.png"
ok "... which is what inpaint makes" cmp -s mended.png expected.png
ask GET "/api/photos/$id/picture?version=0" ">same.png"
ok "... and the first one is still there" not cmp -s same.png expected.png

expect "seeing through what is marked" 0 inpaint photo.png --mask mask.png \
  --see-through -q -o through.png
answers "... on the page" 200 POST \
  "/api/photos/$id/jobs?task=fill&see_through=1" @runs
job=$(value job)
finished done
ask GET "/api/photos/$id/picture?version=$(value version)" ">mended.png"
ok "... gives the same" cmp -s mended.png through.png
answers "seeing through twice" 400 POST \
  "/api/photos/$id/jobs?task=fill&see_through=2" @runs

expect "wider marks" 0 inpaint photo.png --mask mask.png --grow 2 -q -o wide.png
ok "... change more" not cmp -s wide.png expected.png
for task in fill "restore&kinds=&noise=0"; do
  answers "... on the page" 200 POST \
    "/api/photos/$id/jobs?task=$task&grow=2" @runs
  job=$(value job)
  finished done
  ask GET "/api/photos/$id/picture?version=$(value version)" ">mended.png"
  ok "... give the same" cmp -s mended.png wide.png
done
answers "marks that are too wide" 400 POST \
  "/api/photos/$id/jobs?task=fill&grow=17" @runs

# The same mask in grey, as --mask-out writes what is seen through.
expect "a grey mask" 0 inpaint photo.png --mask mask.png --see-through -q \
  -o grey.png --mask-out grey_mask.png
ok "... is not as a white one" not cmp -s through.png expected.png
ask POST "/api/photos/$id/mask/picture" @grey_mask.png ">grey_runs"
ok "a grey mask marks the same" cmp -s grey_runs runs
answers "... and is filled" 200 POST \
  "/api/photos/$id/jobs?task=fill&loaded=1" @grey_runs
job=$(value job)
finished done
ask GET "/api/photos/$id/picture?version=$(value version)" ">mended.png"
ok "... as by inpaint" cmp -s mended.png through.png
ask POST "/api/photos/$id/mask/runs?loaded=1" @grey_runs ">grey_back.png"
ok "... and is saved in grey" cmp -s grey_back.png grey_mask.png
ask POST "/api/photos/$id/mask/runs" @grey_runs ">white_back.png"
ok "... not without being asked for" cmp -s white_back.png mask2.png
ask POST "/api/photos/$id/mask/picture" @mask.png ">runs"
ask POST "/api/photos/$id/mask/runs?loaded=1" @runs ">white_back.png"
ok "... nor where a white one was loaded over it" cmp -s white_back.png mask2.png
answers "loaded twice" 400 POST "/api/photos/$id/mask/runs?loaded=2" @runs

make_png black.png 64 48 '($x > 19 && $x < 32 && $y > 9 && $y < 22) ? 0 : 80'
answers "a picture with a black block" 200 POST "/api/photos?name=b.png" \
  @black.png
black=$(value id)
answers "looking for it" 200 POST "/api/photos/$black/jobs?task=find-blocks"
job=$(value job)
finished done
ok "... finds it" [ "$(value found)" = 144 ]
answers "... and marks it" 200 GET "/api/photos/$black/found"
ask GET "/api/photos/$black/found" ">black_runs"
expect "mending it by hand" 0 inpaint black.png --find blocks -q \
  -o unblocked.png
answers "... and as found" 200 POST \
  "/api/photos/$black/jobs?task=fill&found=1" @black_runs
job=$(value job)
finished done
ask GET "/api/photos/$black/picture?version=$(value version)" ">mended.png"
ok "... is the same" cmp -s mended.png unblocked.png
answers "looking for several kinds" 200 POST \
  "/api/photos/$black/jobs?task=find&kinds=blocks,border&strength=0.8"
job=$(value job)
finished done
ok "... finds as much" [ "$(value found)" = 144 ]
ok "... and says how many marks" [ "$(value marks)" = 1 ]
answers "an unknown kind" 400 POST \
  "/api/photos/$black/jobs?task=find&kinds=rust"
answers "a strength out of range" 400 POST \
  "/api/photos/$black/jobs?task=find&strength=99"
answers "a job that is none" 422 GET /api/jobs/999
expect "all in one go, by the command" 0 restore black.png -q -o whole.png \
  --find blocks
answers "... and on the page" 200 POST \
  "/api/photos/$black/jobs?task=restore&kinds=blocks"
job=$(value job)
finished done
ok "... says what was found" [ "$(value found)" = 144 ]
ask GET "/api/photos/$black/picture?version=$(value version)" ">mended.png"
ok "... and gives the same" cmp -s mended.png whole.png
answers "... without any kind" 200 POST \
  "/api/photos/$black/jobs?task=restore&kinds=&noise=0"
job=$(value job)
finished done
ok "... changes nothing" [ "$(value changed)" = false ]
answers "... with an unknown one" 400 POST \
  "/api/photos/$black/jobs?task=restore&kinds=rust"

# ---- cancelling ----

make_png large.png 700 500 '128 + 100 * sin ($x / 9 + $c) * cos ($y / 7)'
make_png holes.png 700 500 '($x % 7 && $y % 9) * 255'
answers "a long job" 200 POST /api/photos @large.png
large=$(value id)
ask POST "/api/photos/$large/mask/picture" @holes.png ">large_runs"
answers "... starts" 200 POST \
  "/api/photos/$large/jobs?task=fill&quality=best" @large_runs
job=$(value job)
answers "... and no second one on the same picture" 503 POST \
  "/api/photos/$large/jobs?task=fill" @large_runs
answers "one on another picture" 200 POST \
  "/api/photos/$id/jobs?task=fill" @runs
second=$(value job)
ask GET "/api/jobs/$second"
ok "... waits" [ "$(value state) $(value ahead)" = "waiting 1" ]
answers "cancelling the long one" 200 DELETE "/api/jobs/$job"
ok "... ends it" finished cancelled
job=$second
ok "... and the other one goes on" finished done
answers "closing a picture" 200 DELETE "/api/photos/$large"
answers "... forgets it" 422 GET "/api/photos/$large"

# ---- dictionaries ----

answers "dictionaries" 200 GET /api/dictionaries
ok "... have the built-in one" grep -q "Built in" answer
ask GET /api/dictionaries/1/file ">learned.safetensors"
ok "... can be saved" cmp -s learned.safetensors \
  "$ROOT/data/dictionaries/learned.safetensors"
ask GET /api/dictionaries/0/mosaic ">mosaic.png"
ok "... can be seen" perl -0777 -ne 'exit !/^\x89PNG/' mosaic.png
answers "... but not one that is none" 422 GET /api/dictionaries/x/mosaic
answers "a dictionary can be loaded" 200 POST "/api/dictionaries?name=mine" \
  @learned.safetensors
answers "... a picture cannot" 422 POST /api/dictionaries @photo.png
perl -e 'my $header = "{\"a\":" . "[" x 75000;
  print pack ("Q<", length $header), $header' >nested.safetensors
answers "... nor what nests deeper than a stack" 422 POST /api/dictionaries \
  @nested.safetensors
answers "... which ends nothing" 200 GET "/api/photos/$id"
answers "a picture to learn from" 200 POST /api/training @photo.png
answers "... must be one" 422 POST /api/training @address
if "$TESSERA" --version | grep -q "without TIFF"; then
  skip "a TIFF to learn from" "this program was built without it"
else
  run inpaint photo.png --mask empty.png -q -o photo.tif
  answers "a TIFF to learn from" 200 POST /api/training @photo.tif
fi
answers "an unknown algorithm" 400 POST "/api/learning?algorithm=--help"
answers "learning" 200 POST \
  "/api/learning?algorithm=mod&seconds=600&name=here"
job=$(value job)
ok "... is done" finished done
answers "... and there is one more" 200 GET \
  "/api/dictionaries/$(value dictionary)/mosaic"
cp "$PHOTOS/city10.png" training.png
answers "more to learn from" 200 POST /api/training @training.png
answers "learning for long" 200 POST \
  "/api/learning?algorithm=online&seconds=3600&name=never"
job=$(value job)
for _ in $(seq 100); do
  [ -n "$(children)" ] && break
  sleep 0.1
done
ok "... is a process of its own" [ -n "$(children)" ]
answers "... that can be cancelled" 200 DELETE "/api/jobs/$job"
ok "... stops" finished cancelled
ok "... and is gone" [ -z "$(children)" ]
mkdir -p named/inner other
for folder in "" . nowhere /no/such/folder --help "$PWD/other" named \
  "$PWD/named/" "$PWD/named/inner" "$PWD/named/../other"; do
  answers "comparing folder '$folder'" 422 POST \
    "/api/comparison?source=folder&folder=$folder"
done
ok "... says what to do" grep -q -e "--folder" answer
answers "... but one that was named" 200 POST \
  "/api/comparison?source=folder&folder=$PWD/named"
job=$(value job)
ok "... is looked into" finished failed
ok "... and has no picture" grep -q "named" answer
answers "the page is told" 200 GET /api/about
ok "... which those are" grep -qF "\"$PWD/named\"" answer

# ---- ending ----

ok "it has a folder for temporary files" [ -n "$(ls temporary)" ]
stop TERM
ok "SIGTERM ends it well" [ "$status" -eq 0 ]
ok "... without a word of complaint" [ "$(wc -l <server_err)" -eq 1 ]
ok "... and without leaving files" [ -z "$(ls temporary)" ]

# ---- a crowd at the door ----

start
key=
printf '%s' "$token" >right
ask POST /api/session @right
key=$(value key)
# 530 requests that never end, by somebody who does not know the key.
mkfifo held
perl -e '
  use IO::Socket::INET;
  my @crowd = map {
    my $socket = IO::Socket::INET->new (PeerAddr => "127.0.0.1",
                                        PeerPort => $ARGV[0], Timeout => 1);
    syswrite $socket, "GET / HTTP/1.1\r\nHo" if $socket;
    $socket } 1 .. 530;
  open my $out, ">", "held"; print $out "held\n"; close $out;
  sleep 60;' "$port" &
crowd=$!
read -r _ <held
timeout 20 perl "$ROOT/tests/httpclient.pl" "$port" GET /api/about \
  "X-Tessera-Key:$key" >reply
ok "a crowd of half requests does not lock the owner out" \
  [ "$(head -n 1 reply)" = 200 ]
kill "$crowd"
wait "$crowd" 2>/dev/null

# ---- a sudden end ----

answers "something to learn from" 200 POST /api/training @training.png
answers "learning for long" 200 POST \
  "/api/learning?algorithm=online&seconds=3600&name=never"
for _ in $(seq 100); do
  [ -n "$(children)" ] && break
  sleep 0.1
done
learning=$(children)
stop KILL
for _ in $(seq 50); do
  kill -0 $learning 2>/dev/null || break
  sleep 0.1
done
ok "a killed server takes its processes along" \
  not kill -0 $learning 2>/dev/null
ok "... but leaves its folder" [ -n "$(ls temporary)" ]
left=$(ls temporary)
cp -p "temporary/$left/lock" marker
# What a user might have there: another name, permissions, or lock.
for name in holiday abcdefg abc-12 abc12; do
  mkdir -m 700 "temporary/tessera-$name"
  cp -p marker "temporary/tessera-$name/lock"
done
mkdir -m 755 temporary/tessera-open00
cp -p marker temporary/tessera-open00/lock
mkdir -m 700 temporary/tessera-lock00 temporary/tessera-lock01 \
  temporary/tessera-lock02 temporary/tessera-lock03
: >temporary/tessera-lock00/lock
ln -s "$PWD/marker" temporary/tessera-lock01/lock
mkfifo temporary/tessera-lock02/lock
echo "1234" >temporary/tessera-lock03/lock
mkdir -m 700 away
cp -p marker away/lock
ln -s ../away temporary/tessera-link00
theirs=$(ls temporary | grep -v "$left")
start
ok "... which the next one removes" [ ! -e "temporary/$left" ]
own=$(ls temporary | grep -vxF "$theirs")
ok "... and nothing else" \
  [ "$(ls temporary | grep -v "^$own\$")" = "$theirs" -a -e away/lock ]
first=$server
start
ok "... but not that of one that lives" [ -e "temporary/$own" ]
stop TERM
server=$first
stop TERM
rm -r temporary/* marker away

# ---- the browser ----

# All users see the words of a command.
mkdir bin
mkfifo opened
cat >bin/xdg-open <<'END'
#!/bin/sh
file=${1#file://}
{ echo "$*"; stat -c %a "$file"; cat "$file"; } >page
echo "opened" >opened
END
chmod +x bin/xdg-open
usual=$(umask)
umask 0
opening= PATH=$PWD/bin:$PATH DISPLAY=:0
export DISPLAY
start
read -r _ <opened
opening=--no-open PATH=${PATH#*:}
unset DISPLAY
umask "$usual"
ok "the words for the browser have no token" [ -n "$(sed -n 1p page)" \
  -a -z "$(sed -n 1p page | grep "$(sed 's/.*#//' address)")" ]
ok "... but a file that nobody else can read" [ "$(sed -n 2p page)" = 600 ]
ok "... and that leads to the address" grep -qF "url=$(cat address)\"" page
stop TERM
ok "... and is removed" [ -z "$(ls temporary)" ]

start --idle 1
key=
printf '%s' "$token" >right
ask POST /api/session @right
key=$(value key)
ask POST /api/photos @photo.png
id=$(value id)
sleep 3.5
answers "a picture that nobody asks for is forgotten" 422 GET \
  "/api/photos/$id"
ask POST /api/photos @large.png
large=$(value id)
ask POST "/api/photos/$large/jobs?task=fill&quality=best" @large_runs
stop INT
ok "SIGINT, while it works, ends it too" [ "$status" -eq 0 ]

# ---- pictures that are named ----

mkdir scans
cp photo.png scans/one.png
cp photo.png scans/two.png
echo "no picture" >scans/broken.jpg
start photo.png scans
key=
answers "what was named is for our page only" 403 GET /api/given
printf '%s' "$token" >right
ask POST /api/session @right
key=$(value key)
answers "the names" 200 GET /api/given
ok "... of files and of what is in folders" [ "$(tr -d ' \n' <answer)" = \
  '{"names":["photo.png","broken.jpg","one.png","two.png"]}' ]
answers "one of them is opened" 200 POST /api/given/2
ok "... under its name" [ "$(value name)" = one.png ]
ask GET "/api/photos/$(value id)/picture?version=0" ">same.png"
run score photo.png same.png --json
ok "... as it is" [ "$(json identical)" = true ]
refused "one that is none" POST /api/given/1
ok "... names the file" grep -q "broken.jpg" answer
for number in 4 -1 x 99999999999999999999; do
  refused "number $number" POST "/api/given/$number"
done
rm scans/two.png
refused "one that is gone" POST /api/given/3
ok "... names the file" grep -q "two.png" answer
stop INT
start
key=
printf '%s' "$token" >right
ask POST /api/session @right
key=$(value key)
answers "none was named" 200 GET /api/given
ok "... and so there is none" [ "$(tr -d ' \n' <answer)" = '{"names":[]}' ]
stop INT

# ---- the end of the page ----

# gone SECONDS - whether the server ends by itself in this time
gone () {
  for _ in $(seq $(($1 * 10))); do
    kill -0 "$server" 2>/dev/null || return 0
    sleep 0.1
  done
  return 1
}
start --end-with-page --idle 2
key=
printf '%s' "$token" >right
ask POST /api/session @right
key=$(value key)
for _ in 1 2 3 4 5; do
  sleep 1
  ask GET /api/given
done
ok "it goes on while the page asks" kill -0 "$server"
key=
for _ in 1 2 3 4 5 6; do
  sleep 1
  ask GET / 2>/dev/null
done
ok "... and ends when it does not, whoever else asks" gone 5
wait "$server"
ok "... well" [ "$?" -eq 0 ]

finish
