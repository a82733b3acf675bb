import { Argument, type Command } from "commander";
import { createCommand, print, type Terminal } from "./terminal.ts";

const METHODS = ["GET", "POST", "DELETE"];
const HELP = `
Examples:
  $ source <(partner-trading completion bash)      # or zsh, in ~/.bashrc or ~/.zshrc
  $ partner-trading completion fish > ~/.config/fish/completions/partner-trading.fish`;

const WRITERS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * `partner-trading completion`: prints a script for a shell.
 * @param program has all commands once it runs
 */
export function completionCommand(terminal: Terminal, program: Command) {
  return createCommand("completion", terminal)
    .description("Prints a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(WRITERS)))
    .addHelpText("after", HELP)
    .action((shell: keyof typeof WRITERS) => print(terminal, WRITERS[shell](program)));
}

const optionsOf = (command: Command) => command.options.flatMap(({ long }) => (long ? [long] : []));

/** Returns the words that may follow a command: its own commands, or methods of a request. */
function wordsOf({ commands, registeredArguments }: Command): string[] {
  if (registeredArguments[0]?.name() === "method") return METHODS;
  return commands.map((command) => command.name());
}

function bashScript({ commands }: Command): string {
  const cases = commands.map((command) => {
    const words = [...wordsOf(command), ...optionsOf(command), "--help"];
    return `    ${command.name()}) words="${words.join(" ")}" ;;`;
  });
  return [
    "_partner_trading() {",
    `  local words="${commands.map((command) => command.name()).join(" ")} --help --version"`,
    `  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in`,
    ...cases,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$2"))',
    "}",
    "complete -o default -F _partner_trading partner-trading",
  ].join("\n");
}

function zshScript(program: Command): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(program)}`;
}

function fishScript({ commands }: Command): string {
  const complete = "complete -c partner-trading";
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  return commands
    .flatMap((command) => {
      const seen = `-n '__fish_seen_subcommand_from ${command.name()}'`;
      const options = command.options.map(
        ({ long, description }) => `${complete} ${seen} -l ${long?.slice(2)} -d ${quoted(description)}`,
      );
      const words = wordsOf(command);
      const following = words.length > 0 ? [`${complete} ${seen} -a '${words.join(" ")}'`] : [];
      const name = `${complete} -f -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`;
      return [name, ...following, ...options];
    })
    .join("\n");
}
