#!/bin/sh
# cli_completion.sh - what shells offer behind "tessera ..."
. tests/lib.sh

expect "no shell" 2 completion
expect "a shell that is none" 2 completion csh
ok "... and the known ones" says "bash, zsh, fish"
for shell in bash zsh fish; do
  expect "$shell" 0 completion "$shell"
  mv out "script.$shell"
  for command in restore inpaint denoise find learn serve synth; do
    run "$command" --help
    missing=0
    for option in $(grep -o -e '^  .*--[a-z-]*' out | sed 's/.*--//'); do
      grep -qE -e "(-l |--)$option([ =\`'[},|]|\$)" "script.$shell" && continue
      echo "# --$option"
      missing=$((missing + 1))
    done
    ok "... has all options of $command" [ $missing -eq 0 ]
  done
done

mkdir folder
: >photo.png
: >'with space.png'

# offers SHELL LINE WORD... - whether the shell completes the last word of LINE
# by these words and no others
offers () {
  shell=$1 line=$2
  shift 2
  "complete_$shell" "$line" | sort >offered
  for word in "$@"; do
    echo "$word"
  done | sort >expected
  cmp -s offered expected && return
  echo "# $shell: '$line' is completed by" $(cat offered)
  return 1
}

# The questions that all shells must answer alike.
ask () {
  ok "$1: commands" offers "$1" "tessera co" compare completion corrupt
  ok "$1: options" offers "$1" "tessera inpaint --mask" --mask \
    --mask-alpha --mask-channels --mask-color --mask-out
  ok "$1: only those of the command" offers "$1" "tessera score --fo"
  ok "$1: a choice" offers "$1" "tessera inpaint photo.png --quality " \
    best fast normal
  ok "$1: the start of one" offers "$1" "tessera learn --algorithm onl" \
    online online-l1
  ok "$1: a list" offers "$1" "tessera inpaint --find scr" scratches
  ok "$1: ... goes on after a comma" offers "$1" \
    "tessera inpaint --find dust,scr" dust,scratches
  ok "$1: a number is not a file" offers "$1" "tessera inpaint --seed "
  ok "$1: a name that is not a file" offers "$1" \
    "tessera inpaint --dict cos" cosines
  ok "$1: words as arguments" offers "$1" "tessera completion " bash fish zsh
  ok "$1: experiments" offers "$1" "tessera synth conv" convergence
}

# ---- bash ----

# complete_bash LINE - calls the function as bash does; where it leaves the
# work to bash, what bash would do
complete_bash () {
  bash --norc -c '
    source ./script.bash
    read -r -a COMP_WORDS <<<"${1//=/ = }"
    [[ $1 == *[\ =] ]] && [[ $1 != *= ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    compopt () { options+=" $*"; }
    options=" -o default"
    _tessera tessera
    printf "%s\n" "${COMPREPLY[@]}" | grep .
    if ((${#COMPREPLY[@]} == 0)) && [[ $options != *"+o default"* ]]; then
      compgen -f -- "${COMP_WORDS[COMP_CWORD]}"
    elif [[ $options == *"-o dirnames"* ]]; then
      compgen -d -- "${COMP_WORDS[COMP_CWORD]}"
    fi' bash "$1"
}

if command -v bash >/dev/null; then
  ok "bash: reads the script" bash --norc -n script.bash
  ok "bash: has the completion" sh -c \
    "bash --norc -c 'source ./script.bash; complete -p tessera' \
       | grep -q -- '-F _tessera tessera'"
  ask bash
  ok "bash: a value behind =" offers bash "tessera inpaint --quality=" \
    best fast normal
  ok "bash: the start of one" offers bash "tessera inpaint --quality=f" fast
  ok "bash: a file" offers bash "tessera inpaint ph" photo.png
  ok "bash: a file for an option" offers bash \
    "tessera inpaint a.png --mask ph" photo.png
  ok "bash: the same for its short name" offers bash \
    "tessera inpaint a.png -m ph" photo.png
  ok "bash: a folder" offers bash "tessera synth -o " folder
  ok "bash: no options after --" offers bash "tessera score -- --m"
else
  skip "bash" "bash is not installed"
fi

# ---- fish ----

complete_fish () {
  fish --no-config -c 'source ./script.fish; complete -C $argv' "$1" \
    | cut -f1
}

if command -v fish >/dev/null; then
  ask fish
  ok "fish: a file" offers fish "tessera inpaint ph" photo.png
  ok "fish: a file for an option" offers fish \
    "tessera inpaint a.png --mask ph" photo.png
  ok "fish: a folder" offers fish "tessera synth -o " folder/
else
  skip "fish" "fish is not installed"
fi

# ---- zsh ----

# Completion works in the line editor only.  So zsh runs in a terminal, loads
# this, and is sent a line and a tab; matches are shown as they are added.
cat >zshrc <<'END'
PS1=
autoload -U compinit
compinit -D -u
source ./script.zsh
compadd () {
  local -a found
  if [[ ${@[1,(i)(-|--)]} == *-[a-zA-Z]#[OAD]* ]]; then
    builtin compadd "$@"
    return
  fi
  builtin compadd -O found "$@"
  print -r -l -- ${found:+match:$^IPREFIX$^found}
  builtin compadd "$@"
}
show () {
  setopt localoptions extendedglob
  print
  _main_complete
  print -r -- done:
}
zle -C show complete-word show
bindkey '^I' show
print -r -- ready:
END
cat >drive <<'END'
zmodload zsh/zpty
zpty shell 'stty -echo; exec zsh -f -i'
zpty -w shell 'source ./zshrc'
zpty -r -m shell text '*ready:*'
zpty -n -w shell "$1"$'\t'
zpty -r -m shell text '*done:*'
print -r -- "$text"
zpty -d shell
END
complete_zsh () {
  timeout 60 zsh -f drive "$1" | tr -d '\r' | sed -n 's/^match://p' | sort -u
}

if command -v zsh >/dev/null; then
  ok "zsh: reads the script" zsh -f -n script.zsh
  ask zsh
  ok "zsh: a value behind =" offers zsh "tessera inpaint --quality=" \
    --quality=best --quality=fast --quality=normal
  ok "zsh: a file" offers zsh "tessera inpaint ph" photo.png
  ok "zsh: a folder" offers zsh "tessera synth -o " folder
else
  skip "zsh" "zsh is not installed"
fi

finish
