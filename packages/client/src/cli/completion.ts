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
const takesRequest = (command: Command) => command.registeredArguments[0]?.name() === "method";

function bashScript({ commands }: Command): string {
  const cases = commands.map((command) => {
    const words = [...(takesRequest(command) ? METHODS : []), ...optionsOf(command), "--help"];
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
      const methods = takesRequest(command) ? [`${complete} ${seen} -a '${METHODS.join(" ")}'`] : [];
      const name = `${complete} -f -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`;
      return [name, ...methods, ...options];
    })
    .join("\n");
}
