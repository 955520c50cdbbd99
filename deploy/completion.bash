# Completes the commands and options of shopbell. Parses the binary's --help, so it is always up to date.
_shopbell() {
  local word path=()
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path+=("$word")
  done
  # Words may be option values instead of commands: use the longest prefix for which --help succeeds.
  local help=
  while ! help=$("$1" "${path[@]}" --help 2>/dev/null) && ((${#path[@]})); do unset 'path[-1]'; done
  local choices
  choices=$(sed -nE 's/^ +(-[a-z],)?(--[a-z0-9-]+).*/\2/p; /^(SUBCOMMANDS|Subcommands):/,$s/^  ([a-z][a-z-]*).*/\1/p' <<<"$help")
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$2")
}
complete -o default -F _shopbell shopbell
