import { Argument, type Command } from "commander";
import { printDone } from "./output.ts";
import { createCommand, examples, jsonOption, type Terminal } from "./terminal.ts";

/** Name of the command. */
export const COMPLETION = "completion";

const NAME = "partner-trading-admin";
const WRITERS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * `partner-trading-admin completion`: prints a script for a shell.
 * @param program has all commands once it runs
 */
export function completionCommand(terminal: Terminal, program: Command): Command {
  return createCommand(COMPLETION, terminal)
    .description("Prints a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(WRITERS)))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples("completion bash > ~/.local/share/bash-completion/completions/partner-trading-admin"),
    )
    .action((shell: keyof typeof WRITERS, { json }: { json?: boolean }) => {
      const script = WRITERS[shell](program);
      printDone(terminal, { json, document: { shell, script }, line: script });
    });
}

/** A command, by the words that lead to it. */
interface Entry {
  path: string[];
  command: Command;
}

function entriesBelow(command: Command, path: string[] = []): Entry[] {
  return command.commands.flatMap((each) => {
    const own = [...path, each.name()];
    return [{ path: own, command: each }, ...entriesBelow(each, own)];
  });
}

const wordsOf = ({ commands, options }: Command): string[] => [
  ...commands.map((command) => command.name()),
  ...options.flatMap(({ long }) => (long ? [long] : [])),
  "--help",
];

function bashScript(program: Command): string {
  const cases = entriesBelow(program).map(
    ({ path, command }) => `    "${path.join(" ")}") words="${wordsOf(command).join(" ")}" ;;`,
  );
  return [
    "_partner_trading_admin() {",
    '  local words path="" word',
    // Options and their values end the path: completion offers the words below the commands before them.
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    [[ "$word" == -* ]] && break',
    `    [[ "$_partner_trading_admin_paths" == *",\${path:+$path }$word,"* ]] && path="\${path:+$path }$word"`,
    "  done",
    '  case "$path" in',
    ...cases,
    `    *) words="${wordsOf(program).join(" ")}" ;;`,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$2"))',
    "}",
    `_partner_trading_admin_paths=",${entriesBelow(program)
      .map(({ path }) => path.join(" "))
      .join(",")},"`,
    `complete -o default -F _partner_trading_admin ${NAME}`,
  ].join("\n");
}

function zshScript(program: Command): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(program)}`;
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;

function fishScript(program: Command): string {
  return entriesBelow(program)
    .flatMap(({ path, command }) => {
      const parents = path.slice(0, -1).map((word) => `__fish_seen_subcommand_from ${word}`);
      const shown = parents.length > 0 ? parents.join("; and ") : "__fish_use_subcommand";
      const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
      const options = command.options.flatMap(({ long, description }) =>
        long ? [`complete -c ${NAME} -n ${quoted(seen)} -l ${long.slice(2)} -d ${quoted(description)}`] : [],
      );
      return [
        `complete -c ${NAME} -f -n ${quoted(shown)} -a ${path.at(-1)} -d ${quoted(command.description())}`,
        ...options,
      ];
    })
    .join("\n");
}
