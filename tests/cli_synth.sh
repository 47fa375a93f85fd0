#!/bin/sh
# cli_synth.sh - the experiments on planted data, at tiny sizes
. tests/lib.sh

# header FILE - its first line
header () {
  head -n 1 "$1"
}

# is_table FILE - whether all lines have as many cells as the first, and there
# is more than one
is_table () {
  perl -F, -lane '$w //= @F; exit 1 if scalar (@F) != $w;
                  END { exit !($. > 1 && $w > 1) }' "$1"
}

# is_svg FILE - whether its elements are closed in the order they were opened,
# and no number went wrong
is_svg () {
  perl -0ne '
    exit 1 if !/^<svg [^>]*xmlns=/ || />[^<]*(nan|inf)[^<]*</i
              || /=.[^\x27]*(nan|inf)/;
    my @open;
    while (m{<(/?)(\w+)[^>]*?(/?)>}g) {
      if ($1) { exit 1 if (pop @open // "") ne $2 }
      elsif (!$3) { push @open, $2 }
    }
    exit scalar @open' "$1"
}

# column FILE NAME - its cells
column () {
  perl -F, -lane 'if ($. == 1) { ($i) = grep { $F[$_] eq "'"$2"'" } 0 .. $#F }
                  else { print $F[$i] }' "$1"
}

# without_times FILE - the table without columns of seconds
without_times () {
  perl -F, -lane '@keep = grep { $F[$_] !~ /seconds/ } 0 .. $#F if $. == 1;
                  print join ",", @F[@keep]' "$1"
}

# most FILE COLUMN - the largest cell
most () {
  column "$1" "$2" | sort -g | tail -n 1
}

# run_twice NAME ARGUMENT... - with one thread and with two, into NAME-1, -2
run_twice () {
  experiment=$1
  shift
  for threads in 1 2; do
    expect "$experiment with $threads threads" 0 \
      synth "$experiment" "$@" --threads $threads -o "$experiment-$threads"
  done
}

# same FILE - whether both runs of $experiment left the same table
same () {
  without_times "$experiment-1/$1" >one
  without_times "$experiment-2/$1" >two
  cmp -s one two
}

# ---- each experiment ----

run_twice time --sizes 5,10 --trials 2 --algorithms orthogonal,gradient,l4 \
  --iterations 200
table=time-1/time.csv
ok "... a table" is_table $table
ok "... of these columns" [ "$(header $table)" = \
  "algorithm,n,samples,trial,warm_start_seconds,seconds,iterations,converged,\
error,direction_error" ]
ok "... a row a trial" [ "$(wc -l <$table)" -eq 13 ]
ok "... 100 samples a dimension" [ "$(most $table samples)" -eq 1000 ]
grep -E '^algorithm|^orthogonal' $table >orthogonal.csv
ok "... in which orthogonal found all" \
  is_more 1e-6 "$(most orthogonal.csv error)"
ok "... the same for any number of threads" same time.csv
ok "... a figure of times" is_svg time-1/time.svg
ok "... a figure of errors" is_svg time-1/time-error.svg
ok "... with a legend" grep -q '>gradient</text>' time-1/time.svg
ok "... and labels" grep -q '>dimension n</text>' time-1/time.svg

run_twice convergence --samples 200,2k --trials 2 --iterations 330 \
  --algorithms minibatch,online
table=convergence-1/convergence.csv
ok "... a table" is_table $table
ok "... of these columns" [ "$(header $table)" = \
  "algorithm,n,samples,condition,trial,iteration,error,direction_error" ]
ok "... a row an iteration" grep -q '^online,5,2000,10,1,330,' $table
ok "... the same for any number of threads" same convergence.csv
ok "... a figure" is_svg convergence-1/convergence.svg

run_twice condition --conditions 1,100 --noise-levels 0,0.01 --samples 500 \
  --trials 2 --iterations 350
table=condition-1/condition.csv
ok "... a table" is_table $table
ok "... of these columns" [ "$(header $table)" = \
  "algorithm,n,samples,condition,noise,trial,error,direction_error" ]
ok "... a row a run" [ "$(wc -l <$table)" -eq 9 ]
ok "... the same for any number of threads" same condition.csv
ok "... a table of all numbers of samples that were tried" \
  is_table condition-1/condition-samples.csv
ok "... a table of those needed" \
  [ "$(header condition-1/condition-needed.csv)" = \
  "algorithm,n,condition,samples" ]
ok "... a line a condition number" \
  [ "$(wc -l <condition-1/condition-needed.csv)" -eq 3 ]
ok "... a figure of errors" is_svg condition-1/condition.svg
ok "... a figure of samples" is_svg condition-1/condition-needed.svg

run_twice noise --conditions 1,10 --noise-levels 0.001,0.5 --samples 500 \
  --trials 2 --iterations 350
table=noise-1/noise.csv
ok "... a table" is_table $table
ok "... a row a run" [ "$(wc -l <$table)" -eq 9 ]
ok "... the same for any number of threads" same noise.csv
ok "... a figure" is_svg noise-1/noise.svg

run_twice support --trials 2
table=support-1/support.csv
ok "... a table" is_table $table
ok "... of these columns" [ "$(header $table)" = \
  "n,samples,trial,iteration,threshold,code_error,missed,extra" ]
ok "... in which all is missing at first" \
  is_more "$(column $table missed | head -n 1)" 100
ok "... and nothing in the end" [ "$(column $table missed | tail -n 1)" -eq 0 ]
ok "... the same for any number of threads" same support.csv
ok "... a figure of errors" is_svg support-1/support-error.svg
ok "... a figure of counts" is_svg support-1/support.svg

# ---- what is said ----

expect "--json" 0 synth support --trials 1 --seed 3 --json -o json
ok "... has the experiment" [ "$(json experiment)" = '"support"' ]
ok "... the seed" [ "$(json seed)" = 3 ]
ok "... results" [ "$(json missed)" = 0 ]
ok "... and files" grep -q '"json/support.csv"' out
ok "... and nothing else is said" [ ! -s err ]
expect "without it" 0 synth support --trials 1 --seed 4 -o text
ok "... standard output is empty" [ ! -s out ]
ok "... the files are named" says "-> text: support.csv"
ok "... another seed gives another table" \
  not cmp -s json/support.csv text/support.csv
expect "--quiet" 0 synth support --trials 1 -q -o quiet
ok "... says nothing" [ ! -s err ]

# ---- the folder ----

expect "a folder that is not empty" 1 synth support --trials 1 -o text
ok "... what to do" says "--force"
expect "--force" 0 synth support --trials 1 --seed 3 -o text --force
ok "... replaces the files" cmp -s json/support.csv text/support.csv
mkdir empty
expect "an empty folder" 0 synth support --trials 1 -o empty
expect "a file" 1 synth support --trials 1 -o out
expect "a folder in none" 1 synth support --trials 1 -o none/results
expect "no folder at all" 2 synth support
ok "... what is missing" says "-o FOLDER"
"$TESSERA" synth noise --full -o stopped >out 2>err &
listens $!
kill -TERM $!
wait $!
status=$?
judge "an interrupt" 130
ok "... leaves nothing behind" [ ! -e stopped ]
ok "no unfinished file" nothing_pending

# ---- all of them, on one page ----

# figures PAGE - whether all of its figures are there
figures () {
  folder=$(dirname "$1")
  perl -ne 'print "$1\n" while /<img src="([^"]*)"/g' "$1" >figures
  [ "$(wc -l <figures)" -eq 8 ] || return 1
  while read -r figure; do is_svg "$folder/$figure" || return 1; done <figures
}

# verdict TEXT - of the claim with this text, in the last output as JSON
verdict () {
  perl -0ne 'print $1 if /"claim" : "[^"]*'"$1"'[^"]*",\s*"verdict" : "(\w+)"/' \
    out
}

small="--trials 1 --iterations 400 --sizes 4 --samples 3k --threads 1"
expect "all experiments" 0 synth all $small --seed 3 -o all
ok "... a page with their figures" figures all/index.html
ok "... a verdict on each claim" \
  [ "$(grep -cE '<b class="(holds|partly|fails|open)"' all/index.html)" -eq 8 ]
ok "... the warm start finds all codes" says "1 of 1 trials have found"
before=$(cat all/condition.csv | cksum)
rm all/index.html
perl -pi -e 's/^convergence=.*\n//' all/synth.ini
rm all/convergence.csv
expect "the same again" 0 synth all $small --seed 3 -o all --json
ok "... does what is not done" [ -s all/convergence.csv ]
ok "... and makes the page" figures all/index.html
ok "... nothing else" says "condition: done before"
ok "... one number of samples proves nothing" \
  [ "$(verdict 'With more samples')" = open ]
# Stopped while "time" ran: a trial that is done, in a time that no trial takes.
perl -F, -lane '$F[5] = 12345 if $. > 1; print join ",", @F' all/time.csv >done
stop_in_time () {
  perl -pi -e 's/^time=.*\n//' all/synth.ini
  head -n "$1" done >all/time-unfinished.csv
}
times_taken () {
  column all/time.csv seconds | grep -cx 12345
}
stop_in_time 4
expect "a trial that is done" 0 synth all $small --seed 3 -o all
ok "... is not run again" [ "$(times_taken)" -eq 3 ]
ok "... and not kept twice" [ ! -e all/time-unfinished.csv ]
stop_in_time 3
expect "a trial without its last learner" 0 synth all $small --seed 3 -o all
ok "... is run again" [ "$(times_taken)" -eq 0 ]
stop_in_time 4
expect "--force" 0 synth all $small --seed 3 -o all --force
ok "... starts anew" [ "$(times_taken)" -eq 0 ]
# What the tables say is what counts: no noise, errors far apart.
perl -F, -i -lane 'if ($. > 1) { $F[6] = $F[3] } print join ",", @F' \
  all/condition.csv
expect "tables with other numbers" 0 synth all $small --seed 3 -o all --json
ok "... another verdict" [ "$(verdict 'Without noise')" = fails ]
expect "other settings" 1 synth all --trials 1 -o all
ok "... do not mix" says "not empty"

# ---- wrong words ----

expect "no experiment" 2 synth -o x
ok "... and the names of all" says "time, convergence, condition"
expect "a mistyped experiment" 2 synth suport -o x
ok "... is guessed" says "did you mean 'support'?"
expect "an unknown algorithm" 2 synth time --algorithms ksvdd -o x
ok "... is guessed" says "did you mean 'ksvd'?"
expect "an algorithm twice" 2 synth time --algorithms l4,l4 -o x
expect "an empty list" 2 synth time --sizes '' -o x
expect "a hole in a list" 2 synth time --sizes 5,,10 -o x
expect "a size that is none" 2 synth time --sizes 5,ten -o x
expect "a size of 1" 2 synth time --sizes 1 -o x
expect "a condition number below 1" 2 synth noise --conditions 0.5 -o x
expect "noise below 0" 2 synth noise --noise-levels -1 -o x
expect "no trials" 2 synth support --trials 0 -o x
expect "an option for another experiment" 2 synth support --batch 10 -o x
ok "... says so" says "no use for --batch"
expect "several values where one is needed" 2 synth support --sizes 5,10 -o x
expect "more samples than memory has" 4 \
  synth time --sizes 4000 --samples 1M -o x
ok "nothing of this made a folder" [ ! -e x ]

finish
