import { administrationCommands } from './administration-commands.ts';
import type { Doc } from './bson-codec.ts';
import { refuseUnknownFields } from './command-fields.ts';
import type { CommandHandler, Engine } from './engine.ts';
import { CommandError, describeError, notSupported } from './errors.ts';
import { readCommands } from './read-commands.ts';
import { COMMON_FIELDS, SUPPORTED } from './subset.ts';
import type { Request } from './wire.ts';
import { writeCommands } from './write-commands.ts';

const ALIASES: Record<string, string> = {
  isMaster: 'hello',
  ismaster: 'hello',
  findandmodify: 'findAndModify',
  buildinfo: 'buildInfo',
};

const HANDLERS: Record<string, CommandHandler> = { ...readCommands, ...writeCommands, ...administrationCommands };

/** Runs one request and returns its reply; converts errors to error replies. */
export async function runCommand(engine: Engine, request: Request): Promise<Doc | Buffer> {
  try {
    const name = ALIASES[request.name] ?? request.name;
    const handler = Object.hasOwn(HANDLERS, name) ? HANDLERS[name] : undefined;
    if (!handler) throw notSupported(`the command ${request.name}`);
    if (typeof request.command.$db !== 'string') throw new CommandError(73, 'a command needs a database');
    const accepted = `${COMMON_FIELDS} ${SUPPORTED.commands[name as keyof typeof SUPPORTED.commands]}`.split(' ');
    refuseUnknownFields(`${request.name}`, request.command, [request.name, ...accepted]);
    if (request.command.startTransaction || request.command.autocommit === false) throw notSupported('a transaction');
    return await handler(engine, request.command, request.name);
  } catch (error) {
    return { ok: 0, ...describeError(error) };
  }
}
