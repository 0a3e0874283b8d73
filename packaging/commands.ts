import type { Command } from 'commander'
import { describedProgram } from '../src/cli/program.ts'
import { epoch, version } from './release.ts'

/** A command by its words, without the program's name: `['app', 'actuator', 'set']`. */
type Described = { readonly words: readonly string[]; readonly command: Command }

const program = await describedProgram()

function below(command: Command, words: readonly string[] = []): readonly Described[] {
  return command.commands.flatMap((child) => {
    const own = [...words, child.name()]
    return [{ words: own, command: child }, ...below(child, own)]
  })
}

const all = below(program)
/** Those that do something themselves. */
const leaves = all.filter(({ command }) => command.commands.length === 0)

/** Quoted for roff: a backslash or a hyphen means itself, and a line does not begin with a request. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(['.])/gm, '\\&$1')

const argumentsOf = ({ command }: Described): string =>
  command.registeredArguments
    .map((one) => {
      const name = `\\fI${roff(one.name())}\\fR${one.variadic ? ' ...' : ''}`
      return one.required ? name : `[${name}]`
    })
    .join(' ')

const optionOf = ({ flags, description }: { readonly flags: string; readonly description: string }): string =>
  `.TP\n.B ${roff(flags)}\n${roff(description)}\n`

/** `tocsin(1)` in roff, made from the command tree. */
export function manual(): string {
  const day = new Date(epoch * 1000).toISOString().slice(0, 10)
  const commands = leaves.map((described) => {
    const { words, command } = described
    const head = `.SS "tocsin ${roff(words.join(' '))}"\n.B tocsin ${roff(words.join(' '))}\n${argumentsOf(described)}\n.PP\n`
    return `${head}${roff(command.description())}\n${command.options.map(optionOf).join('')}`
  })
  return [
    `.TH TOCSIN 1 "${day}" "Tocsin ${version}" "User commands"\n`,
    '.SH NAME\ntocsin \\- emergency SOS alerts by SMS, call and chat\n',
    '.SH SYNOPSIS\n.B tocsin\n[\\fIoptions\\fR] \\fIcommand\\fR ...\n',
    `.SH DESCRIPTION\n${roff(program.description())}.\nThe guide for operators is in /usr/share/doc/tocsin/docs.\n`,
    `.SH OPTIONS\n${program.options.map(optionOf).join('')}`,
    `.SH COMMANDS\n${commands.join('')}`,
    '.SH EXIT STATUS\n0 when it is done, 1 when it failed, 2 when it was used wrongly.\n',
    '.SH FILES\n.TP\n.I /etc/tocsin/tocsin.yaml\nThe configuration.\n.TP\n.I /etc/tocsin/credentials\nSecrets: a file for each variable.\n',
    '.TP\n.I /var/lib/tocsin\nThe data.\n',
  ].join('')
}

const flagsOf = (command: Command): readonly string[] => command.options.flatMap(({ long }) => long ?? [])

/** A completion for bash, made from the command tree: subcommands, options, and files where nothing else fits. */
export function completion(): string {
  const common = flagsOf(program).join(' ')
  const cases = [{ words: [], command: program }, ...all].map(({ words, command }) => {
    const next = [...command.commands.map((child) => child.name()), ...flagsOf(command)].join(' ')
    return `    '${words.join(' ')}') words='${next}' ;;`
  })
  return `# Completion for tocsin, made from its command tree.
_tocsin() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    case " $(_tocsin_words "$path") " in *" $word "*) path="\${path:+$path }$word" ;; esac
  done
  words="$(_tocsin_words "$path") ${common}"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
_tocsin_words() {
  local words=''
  case "$1" in
${cases.join('\n')}
  esac
  printf '%s' "$words"
}
complete -o default -F _tocsin tocsin
`
}
