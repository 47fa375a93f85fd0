# httpclient.pl - a small client that also sends what no browser would
#
# usage: perl httpclient.pl PORT METHOD PATH [OPTION...]
#   Name:VALUE  a header; "Name:" leaves out one that is sent by itself
#   @FILE       the body
#   >FILE       where the body of the answer goes
# Prints the status, and the body unless it goes to a file.
use strict;
use warnings;
use IO::Socket::INET;

my ($port, $method, $path, @rest) = @ARGV;
my %headers = (Host => "127.0.0.1:$port", Connection => "close");
my ($body, $target) = ("");

for (@rest) {
  if (/^@(.*)/s) {
    open my $in, "<:raw", $1 or die "$1: $!\n";
    local $/;
    $body = <$in>;
    $headers{"Content-Length"} //= length $body;
  } elsif (/^>(.*)/s) {
    $target = $1;
  } elsif (/^([\w-]+):(.*)/s) {
    $headers{$1} = $2;
  }
}
$headers{"Content-Length"} //= 0 if $method eq "POST";

my $socket = IO::Socket::INET->new (PeerAddr => "127.0.0.1", PeerPort => $port)
  or die "cannot connect\n";
$SIG{PIPE} = "IGNORE";
binmode $socket;
print $socket "$method $path HTTP/1.1\r\n",
  (map { $headers{$_} eq "" ? () : "$_: $headers{$_}\r\n" } sort keys %headers),
  "\r\n", $body;
$socket->flush;

local $/;
my $answer = <$socket> // "";
my ($head, $content) = split /\r\n\r\n/, $answer, 2;
my ($status) = ($head // "") =~ m{^HTTP/1\.[01] (\d+)};
print $status // "none", "\n";
if (defined $target) {
  open my $out, ">:raw", $target or die "$target: $!\n";
  print $out $content // "";
} else {
  print $content // "";
}
if ($ENV{SHOW_HEAD}) {
  print "\n", $head // "";
}
