#!/bin/sh
# cli_network.sh - the page on other machines: TLS, its certificate, a QR code
#
# The address is one of the loopback interface: what differs from another one
# is only who can reach it.
. tests/lib.sh

command -v openssl >/dev/null || skip_all "there is no openssl"
command -v curl >/dev/null || skip_all "there is no curl"
HOST=127.0.0.1
XDG_DATA_HOME=$FOLDER/data
export XDG_DATA_HOME
pem=$XDG_DATA_HOME/tessera/serve.pem

# start OPTION... - starts a server; leaves $server, $base, $port and $token
start () {
  : >address
  perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
    "$TESSERA" serve --host "$HOST" "$@" >address 2>server_err &
  server=$!
  for _ in $(seq 100); do
    [ -s address ] && break
    sleep 0.1
  done
  base=$(sed 's,/#.*,,' address)
  port=${base##*:}
  token=$(sed 's/.*#//' address)
}

# stop - ends it; leaves $status
stop () {
  kill -INT "$server"
  wait "$server"
  status=$?
}

trap 'kill $server 2>/dev/null; rm -rf "$FOLDER"' EXIT

# answers NAME CODE PATH [CURL-OPTION...] - leaves the file answer
answers () {
  name=$1 expected=$2 path=$3
  shift 3
  code=$(curl -sk -o answer -w '%{http_code}' "$@" "$base$path")
  ok "$name" [ "$code" = "$expected" ]
  [ "$code" = "$expected" ] || { echo "# $code"; sed 's/^/# /' answer; }
}

shown_certificate () {
  openssl s_client -connect "$HOST:$port" </dev/null 2>/dev/null \
    | openssl x509 "$@"
}

start
ok "prints its address" grep -q "^https://$HOST:[0-9]*/#[0-9a-f]\{32\}$" address
ok "warns in plain words" grep -q "open to the network" server_err
shown_certificate -noout -fingerprint -sha256 | sed 's/.*=//' >shown
sed -n 's/^ *\(\([0-9A-F][0-9A-F]:*\)\{16\}\)$/\1/p' server_err | tr -d '\n' \
  >said
ok "says the fingerprint that a browser shows" [ "$(cat shown)" = "$(cat said)" ]
ok "is for this address" sh -c "openssl x509 -in '$pem' -noout -ext subjectAltName | grep -q 'IP Address:$HOST'"
ok "... for a year and not longer" sh -c "
  openssl x509 -in '$pem' -noout -checkend $((390 * 86400)) >/dev/null &&
  ! openssl x509 -in '$pem' -noout -checkend $((398 * 86400)) >/dev/null"
ok "a client that trusts the certificate needs no exception" \
  curl -s -o page --cacert "$pem" "$base/"
ok "... and gets the page" grep -q '<title>Tessera</title>' page
ok "the key is secret" [ "$(stat -c %a "$pem")" = 600 ]
for version in tls1 tls1_1; do
  ok "no $version" sh -c "! openssl s_client -connect $HOST:$port -$version \
    -cipher DEFAULT@SECLEVEL=0 </dev/null >/dev/null 2>&1"
done
for version in tls1_2 tls1_3; do
  ok "$version" sh -c "openssl s_client -connect $HOST:$port -$version \
    </dev/null >/dev/null 2>&1"
done

answers "all but the page needs the key" 403 /api/about
answers "a wrong token" 403 /api/session -d 0123456789abcdef0123456789abcdef
answers "the token" 200 /api/session -d "$token"
key=$(perl -0ne 'print $1 if /"key" : "([0-9a-f]+)"/' answer)
answers "... gives the key" 200 /api/about -H "X-Tessera-Key: $key"
answers "a second client with the token" 403 /api/session -d "$token"
answers "... is told what to do" 403 /api/session -d "$token"
ok "... in words" grep -q "already used" answer
answers "another name for the address" 403 / -H "Host: evil.example:$port"
answers "localhost, which it is not" 403 / -H "Host: localhost:$port"
answers "a page without TLS that asks" 403 /api/about \
  -H "X-Tessera-Key: $key" -H "Origin: http://$HOST:$port"
answers "our own page" 200 /api/about -H "X-Tessera-Key: $key" \
  -H "Origin: https://$HOST:$port"
curl -s -m 20 "http://$HOST:$port/" >plain
ok "a client without TLS learns nothing" [ ! -s plain ]
answers "... and others are served all the same" 200 /
stop
ok "ends as it should" [ "$status" = 0 ]

# ---- the certificate is kept ----

cp "$pem" first
start
ok "the same certificate at the second start" cmp -s first "$pem"
stop
start --json
ok "the fingerprint in JSON" grep -q "\"fingerprint\" : \"$(cat shown)\"" address
stop
chmod 644 "$pem"
start
ok "a new one when others could have read the key" not cmp -s first "$pem"
ok "... with a key that is secret" [ "$(stat -c %a "$pem")" = 600 ]
stop
cp "$pem" second
HOST=127.0.0.2
start
ok "a new one for another address" not cmp -s second "$pem"
stop
HOST=127.0.0.1
head -c 300 second >"$pem"
start
answers "a new one for a broken file" 200 /
stop
rm -r "$XDG_DATA_HOME"
: >"$XDG_DATA_HOME"
expect "no place to keep it" 1 serve --host 127.0.0.1
ok "... is named" says "$pem"
rm "$XDG_DATA_HOME"

# ---- addresses ----

for wrong in 0.0.0.0 :: nowhere 127.0.0.1:80 ''; do
  expect "--host '$wrong'" 2 serve --host "$wrong"
done
expect "an address of another machine" 1 serve --host 192.0.2.77
ok "... and what this one has" says "not an address of this machine"

# ---- the QR code ----

# on_terminal COLUMNS - what a terminal of that width gets
on_terminal () {
  script -qec "stty cols $1; LC_ALL=C.UTF-8 TERM=xterm exec timeout -s INT 3 \
    '$TESSERA' serve --host 127.0.0.1" /dev/null >terminal 2>&1
}

# Without colours, and with dots of 4 x 8 and 4 x 4 pixels.
draw_terminal () {
  perl -Mutf8 -CI -ne '
    s/\e\[[0-9;]*m//g; s/\s*$//;
    next unless /^[ \x{2580}\x{2584}\x{2588}]{20,}$/;
    push @rows, [map { /[\x{2580}\x{2588}]/ ? 0 : 1 } split //],
      [map { /[\x{2584}\x{2588}]/ ? 0 : 1 } split //];
    END {
      printf "P1\n%d %d\n", 4 * @{$rows[0]}, 4 * @rows;
      for my $row (@rows) {
        print join (" ", map { ($_) x 4 } @$row), "\n" for 1 .. 4;
      }
    }' <terminal >code.pbm
}

if ! command -v script >/dev/null; then
  skip "the QR code" "there is no script"
else
  on_terminal 30
  ok "no QR code where it has no room" not grep -q '▄▄▄▄▄' terminal
  ok "... but the address" grep -q "^https://" terminal
  on_terminal 80
  ok "a QR code in the terminal" grep -q '▄▄▄▄▄' terminal
  if command -v zbarimg >/dev/null; then
    draw_terminal
    zbarimg -q --raw code.pbm >read 2>/dev/null
    ok "... is the address" grep -qxF "$(cat read)" \
      <<END
$(grep -o 'https://[^[:space:]]*' terminal)
END
  else
    skip "... is the address" "there is no zbarimg"
  fi
fi
finish
