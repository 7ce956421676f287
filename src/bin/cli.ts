/** `npm run --silent cli -- …`: what only operators do. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { readConfig } from '../platform/config.ts'
import {
  createFirstWorkspace,
  type ApiKey,
  createApiKey,
  createWorkspace,
  DEFAULT_RATE_LIMIT,
  deleteApiKey,
  isScope,
  listApiKeys,
  listWorkspaces,
  type Scope,
  SCOPES,
  type Workspace,
  WORKSPACE_MODES,
  type WorkspaceMode,
} from '../workspaces/index.ts'
import type { Segment } from '../conditions/index.ts'
import { readMailSender } from '../installation/index.ts'
import { openLog } from '../platform/log.ts'
import { migrate, type Orm } from '../platform/db/orm.ts'
import { openDatabase } from '../schema/index.ts'
import { noMetrics } from '../outbox/index.ts'
import { assertWorkspace, createSegment, deleteSegment, listSegments } from '../segments/index.ts'
import { dismissMessage, listUnconfirmed, resendMessage } from '../messages/index.ts'
import { createMail } from '../parts/mail.ts'
import { connectedConfig } from './embedded-config.ts'
import { showFirstKeys } from './first-start.ts'
import { main } from './lifecycle.ts'
import { table } from './table.ts'

interface Output {
  json?: true
}

/** Opens the database of the configuration, or of the `npm start` that is running, for one command. */
async function withDatabase<Result>(run: (orm: Orm) => Promise<Result>): Promise<Result> {
  const config = readConfig(process.env)
  const { DATABASE_URL } = config.DATABASE_URL ? { DATABASE_URL: config.DATABASE_URL } : connectedConfig(config)
  const orm = openDatabase({ url: DATABASE_URL, timeoutMs: 60_000 })
  try {
    return await run(orm)
  } finally {
    await orm.close(true)
  }
}

const print = (text: string) => process.stdout.write(`${text}\n`)
const show = <Value>(value: Value, { json }: Output, words: (value: Value) => string) =>
  print(json ? JSON.stringify(value) : words(value))

const asWorkspace = ({ id, name, mode, createdAt }: Workspace) => ({
  id,
  name,
  mode,
  createdAt: createdAt.toISOString(),
})
const asApiKey = (apiKey: ApiKey) => ({
  id: apiKey.id,
  workspaceId: apiKey.workspace.id,
  name: apiKey.name,
  prefix: apiKey.prefix,
  scopes: apiKey.scopes,
  allow: apiKey.allowedRanges,
  rateLimit: apiKey.rateLimit,
  createdAt: apiKey.createdAt.toISOString(),
})

const asSegment = ({ id, workspaceId, name, condition, createdAt }: Segment) => ({
  id,
  workspaceId,
  name,
  condition,
  createdAt: createdAt.toISOString(),
})

function parseScopes(text: string): Scope[] {
  if (text === 'all') return [...SCOPES]
  const scopes = text.split(',').map((scope) => scope.trim())
  const valid = scopes.filter(isScope)
  if (valid.length < scopes.length) throw new InvalidArgumentError(`Scopes are "all" or some of: ${SCOPES.join(', ')}.`)
  return [...new Set(valid)]
}

function parseRateLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
    throw new InvalidArgumentError('It is a whole number of requests a minute, from 1 to 1000000.')
  }
  return limit
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It is no JSON.')
  }
}

const parseName = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  // A list shows names, each in its line.
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError('It must have no line breaks and no control characters.')
  return text
}

const command = (parent: Command, name: string, description: string) =>
  parent.command(name).description(description).option('--json', 'print JSON')

const program = new Command('dripline')
  .description('Operate Dripline')
  .showHelpAfterError('(--help tells what there is)')

command(program, 'init', 'make the first two workspaces, live and test, with a key each, unless there is one already')
  .option('--url <URL>', 'where clients reach the API', 'http://localhost:3000')
  .action(async (options: Output & { url: string }) => {
    const made = await withDatabase((orm) =>
      createFirstWorkspace(orm.em, (first) => show(first, options, (keys) => showFirstKeys(options.url, keys))),
    )
    if (!made) show(null, options, () => 'There is a workspace already; "key create" makes another key.')
  })

const workspaces = program.command('workspace').description('the tenants: everything belongs to one')
command(workspaces, 'create', 'make a workspace')
  .requiredOption('--name <name>', 'its name', parseName)
  .addOption(
    new Option('--mode <mode>', 'live: acts on real data; test: for development, its mail is always captured')
      .choices(WORKSPACE_MODES)
      .makeOptionMandatory(),
  )
  .action(async (options: Output & { name: string; mode: WorkspaceMode }) => {
    const workspace = asWorkspace(await withDatabase((orm) => createWorkspace(orm.em, options)))
    show(workspace, options, ({ id, name, mode }) => `Made the ${mode} workspace "${name}": ${id}`)
  })
command(workspaces, 'list', 'list the workspaces').action(async (options: Output) => {
  const list = (await withDatabase((orm) => listWorkspaces(orm.em))).map(asWorkspace)
  show(list, options, (all) =>
    table(
      ['ID', 'MODE', 'NAME'],
      all.map(({ id, mode, name }) => ({ cells: [id, mode, name] })),
      'There is no workspace.',
    ),
  )
})

const keys = program.command('key').description('API keys')
command(keys, 'create', 'make a key and print it, once')
  .requiredOption('--workspace <id>', 'the workspace it belongs to')
  .requiredOption('--name <name>', 'what it is for', parseName)
  .requiredOption('--scopes <scopes>', `"all", or some of ${SCOPES.join(', ')}, with commas between`, parseScopes)
  .option(
    '--allow <CIDR>',
    'an address or range it may be used from; may be repeated',
    (range: string, before: string[]) => [...before, range],
    [] as string[],
  )
  .option('--rate-limit <N>', 'requests a minute', parseRateLimit, DEFAULT_RATE_LIMIT)
  .action(
    async (
      options: Output & { workspace: string; name: string; scopes: Scope[]; allow: string[]; rateLimit: number },
    ) => {
      const { apiKey, key } = await withDatabase((orm) =>
        createApiKey(orm.em, {
          workspaceId: options.workspace,
          name: options.name,
          scopes: options.scopes,
          allowedRanges: options.allow,
          rateLimit: options.rateLimit,
        }),
      )
      const { id, ...rest } = asApiKey(apiKey)
      show({ id, key, ...rest }, options, () => `${key}\n\nThis is shown once. Its id, to delete it by: ${id}`)
    },
  )
command(keys, 'list', 'list the keys, by what is visible of them').action(async (options: Output) => {
  const list = (await withDatabase((orm) => listApiKeys(orm.em))).map(asApiKey)
  show(list, options, (all) =>
    table(
      ['ID', 'KEY', 'NAME'],
      all.map(({ id, prefix, name, workspaceId }) => ({
        cells: [id, `${prefix}…`, name],
        below: [`of the workspace ${workspaceId}`],
      })),
      'There is no key.',
    ),
  )
})
command(keys, 'delete', 'delete a key; requests with it are refused from now on')
  .argument('<id>', 'the id of the key')
  .action(async (id: string, options: Output) => {
    await withDatabase((orm) => deleteApiKey(orm.em, id))
    show({ id, deleted: true }, options, () => `Deleted the key ${id}`)
  })

const segments = program
  .command('segment')
  .description('saved conditions on contacts; docs/segments.md has their language')
command(segments, 'create', 'save a condition')
  .requiredOption('--workspace <id>', 'the workspace it belongs to')
  .requiredOption('--name <name>', 'its name', parseName)
  .requiredOption('--condition <JSON>', 'such as {"metadata":"plan","is":"equal","value":"pro"}', parseJson)
  .action(async (options: Output & { workspace: string; name: string; condition: unknown }) => {
    const { workspace: workspaceId, name, condition } = options
    const segment = await withDatabase((orm) => createSegment(orm.em, { workspaceId, name, condition }))
    show(asSegment(segment), options, ({ id }) => `Made the segment "${name}": ${id}`)
  })
command(segments, 'list', 'list the segments of a workspace, newest first')
  .requiredOption('--workspace <id>', 'the workspace')
  .action(async (options: Output & { workspace: string }) => {
    const everything = { limit: 1_000, offset: 0 }
    const [list] = await withDatabase(async ({ em }) => {
      await assertWorkspace(em.fork(), options.workspace)
      return listSegments(em, options.workspace, everything)
    })
    show(list.map(asSegment), options, (all) =>
      table(
        ['ID', 'NAME'],
        all.map(({ id, name, condition }) => ({ cells: [id, name], below: [JSON.stringify(condition)] })),
        'There is no segment.',
      ),
    )
  })
command(segments, 'delete', 'delete a segment; its contacts stay')
  .argument('<id>', 'the id of the segment')
  .action(async (id: string, options: Output) => {
    await withDatabase((orm) => deleteSegment(orm.em, id))
    show({ id, deleted: true }, options, () => `Deleted the segment ${id}`)
  })

const messages = program.command('message').description('messages that an operator has to decide on')
const LISTED =
  'list those of which nobody knows whether they were sent, and those that nobody tries any more, oldest first'
command(messages, 'list', LISTED).action(async (options: Output) => {
  const list = await withDatabase((orm) => listUnconfirmed(orm.em))
  show(list, options, (all) =>
    table(
      ['ID', 'STATUS', 'SINCE'],
      all.map(({ id, status, claimedAt, contactId, error }) => ({
        cells: [id, status, claimedAt],
        below: [`to the contact ${contactId}`, ...(error === null ? [] : [error])],
      })),
      'There is no unconfirmed message.',
    ),
  )
})
command(messages, 'resend', 'send one once more; the contact may get it twice')
  .argument('<id>', 'the id of the message')
  .action(async (id: string, options: Output) => {
    const resent = await withDatabase(async ({ em }) => {
      const config = readConfig(process.env)
      const mailFrom = config.MAIL_FROM ?? (await readMailSender(em.fork()))
      const mail = createMail(config, em, mailFrom)
      try {
        return await resendMessage({ ...mail, em, metrics: noMetrics, log: openLog(config.LOG_LEVEL) }, id)
      } finally {
        await mail.smtp?.close()
        await mail.renderer.close()
      }
    })
    const { status, error } = resent
    show({ id, ...resent }, options, () => `The message ${id} is ${status} now${error === null ? '' : `: ${error}`}`)
    // What was asked for is that it is sent.
    if (status !== 'SENT') process.exitCode = 1
  })
command(messages, 'dismiss', 'leave one as it is, for good')
  .argument('<id>', 'the id of the message')
  .action(async (id: string, options: Output) => {
    await withDatabase((orm) => dismissMessage(orm.em, id))
    show({ id, status: 'DISMISSED' }, options, () => `Dismissed the message ${id}`)
  })

command(program, 'migrate', 'bring the database schema up to date').action(async (options: Output) => {
  const migrations = await withDatabase(migrate)
  show({ migrations }, options, () => (migrations.length ? `Migrated: ${migrations.join(', ')}` : 'Nothing to do.'))
})

main(async () => {
  await program.parseAsync()
})
