# Completes the commands and options of shopbell. Asks the binary itself, so that it never knows less than that.
_shopbell() {
  local word path=()
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path+=("$word")
  done
  # The values of options stand between the commands; the longest beginning that is a command counts.
  local help=
  while ! help=$("$1" "${path[@]}" --help 2>/dev/null) && ((${#path[@]})); do unset 'path[-1]'; done
  local choices
  choices=$(sed -nE 's/^ +(-[a-z],)?(--[a-z0-9-]+).*/\2/p; /^(SUBCOMMANDS|Subcommands):/,$s/^  ([a-z][a-z-]*).*/\1/p' <<<"$help")
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$2")
}
complete -o default -F _shopbell shopbell
