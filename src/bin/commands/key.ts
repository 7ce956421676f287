import { type Command, InvalidArgumentError } from 'commander'
import { DEFAULT_RATE_LIMIT } from '../../http/rate-limit.ts'
import { isScope, type Scope, SCOPES } from '../../http/scopes.ts'
import type { ApiKey } from '../../workspaces/index.ts'
import { formatTable } from '../table.ts'
import { addCommand, parseName, printResult, type Output } from './command.ts'

const asApiKey = (apiKey: ApiKey) => ({
  id: apiKey.id,
  workspaceId: apiKey.workspace.id,
  name: apiKey.name,
  prefix: apiKey.prefix,
  scopes: apiKey.scopes,
  allow: apiKey.allowedRanges,
  rateLimit: apiKey.rateLimit,
  createdAt: apiKey.createdAt.toISOString(),
  expiresAt: apiKey.expiresAt?.toISOString() ?? null,
  lastUsedAt: apiKey.lastUsedAt?.toISOString() ?? null,
})

function parseScopes(text: string): Scope[] {
  if (text === 'all') return [...SCOPES]
  const scopes = text.split(',').map((scope) => scope.trim())
  const valid = scopes.filter(isScope)
  if (valid.length < scopes.length) throw new InvalidArgumentError(`It must be "all" or some of: ${SCOPES.join(', ')}.`)
  return [...new Set(valid)]
}

function parseRateLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
    throw new InvalidArgumentError('It must be a whole number of requests per minute, from 1 to 1000000.')
  }
  return limit
}

const END_OF_TIME = new Date('9999-12-31T23:59:59Z')

/** Parses an ISO 8601 date, such as 2027-01-31, or timestamp. A date means the end of that day, in UTC. */
function parseExpiry(text: string): Date {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const date = new Date(isDay ? `${text}T24:00:00Z` : text)
  if (
    !/^\d{4}-\d\d-\d\d(?:T.*(?:Z|[+-]\d\d:\d\d))?$/.test(text) ||
    Number.isNaN(date.getTime()) ||
    !isDate(text.slice(0, 10))
  ) {
    throw new InvalidArgumentError(
      'It must be a date, such as 2027-01-31, or a timestamp, such as 2027-01-31T12:00:00Z.',
    )
  }
  // Later years have more digits, which some clients cannot read.
  if (date > END_OF_TIME) return END_OF_TIME
  if (date <= new Date()) throw new InvalidArgumentError('It must be in the future.')
  return date
}

/** Returns whether the day exists: JavaScript reads 30 February as 2 March. */
function isDate(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

function parseOverlap(text: string): number {
  const hours = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || hours > MAX_OVERLAP_HOURS) {
    throw new InvalidArgumentError(`It must be a number of hours, from 0 to ${MAX_OVERLAP_HOURS}.`)
  }
  return hours
}
/** One year. A longer overlap would defeat the rotation. */
const MAX_OVERLAP_HOURS = 8_760

export function keyCommands(program: Command): void {
  const keys = program.command('key').description('API keys')
  addCommand(keys, 'create', 'create a key and print it once')
    .requiredOption('--workspace <id>', 'the workspace of the key')
    .requiredOption('--name <name>', 'the purpose of the key', parseName)
    .requiredOption('--scopes <scopes>', `"all", or some of ${SCOPES.join(', ')}, separated by commas`, parseScopes)
    .option(
      '--allow <CIDR>',
      'an address or range from which the key may be used; may be repeated',
      (range: string, before: string[]) => [...before, range],
      [] as string[],
    )
    .option('--rate-limit <N>', 'requests a minute', parseRateLimit, DEFAULT_RATE_LIMIT)
    .option('--expires <date>', 'when the key expires: a date or a timestamp; default: never', parseExpiry)
    .action(
      async (
        options: Output & {
          workspace: string
          name: string
          scopes: Scope[]
          allow: string[]
          rateLimit: number
          expires?: Date
        },
      ) => {
        const [{ createApiKey }, { withAudit }] = await Promise.all([
          import('../../workspaces/index.ts'),
          import('./with-audit.ts'),
        ])
        const { workspace, name, scopes, allow, rateLimit, expires } = options
        const given = { workspaceId: workspace, name, scopes, allowedRanges: allow, rateLimit, expiresAt: expires }
        const { apiKey, key } = await withAudit(
          'createApiKey',
          (em) => createApiKey(em, given),
          (made) => ({ workspaceIds: [workspace], targetId: made.apiKey.id }),
        )
        const { id, ...rest } = asApiKey(apiKey)
        printResult(
          { id, key, ...rest },
          options,
          () => `${key}\n\nThe key is shown only once. Its ID, for deleting it: ${id}`,
        )
      },
    )
  addCommand(keys, 'list', 'list the keys, by their visible prefixes').action(async (options: Output) => {
    const [{ listApiKeys }, { withDatabase }] = await Promise.all([
      import('../../workspaces/index.ts'),
      import('./with-database.ts'),
    ])
    const list = (await withDatabase((orm) => listApiKeys(orm.em))).map(asApiKey)
    printResult(list, options, (all) =>
      formatTable(
        ['ID', 'KEY', 'NAME'],
        all.map(({ id, prefix, name, workspaceId, rateLimit, expiresAt, lastUsedAt }) => ({
          cells: [id, `${prefix}…`, name],
          below: [
            `of the workspace ${workspaceId}`,
            `${rateLimit} requests per minute; ${lastUsedAt ? `last used ${lastUsedAt}` : 'never used'}` +
              (expiresAt ? `; ${new Date(expiresAt) <= new Date() ? 'expired' : 'expires'} ${expiresAt}` : ''),
          ],
        })),
        'There are no keys.',
      ),
    )
  })
  addCommand(keys, 'rotate', 'create a key with the same permissions, and expire the old one after a while')
    .argument('<id>', 'the ID of the key')
    .option('--overlap <hours>', 'how long the old key still works', parseOverlap, 24)
    .action(async (id: string, options: Output & { overlap: number }) => {
      const [{ rotateApiKey }, { withAudit }] = await Promise.all([
        import('../../workspaces/index.ts'),
        import('./with-audit.ts'),
      ])
      const { old, apiKey, key } = await withAudit(
        'rotateApiKey',
        (em) => rotateApiKey(em, id, options.overlap * 3_600_000),
        (rotated) => ({ workspaceIds: [rotated.old.workspace.id], targetId: id }),
      )
      const { id: newId, ...rest } = asApiKey(apiKey)
      const ends = old.expiresAt!.toISOString()
      printResult({ id: newId, key, ...rest, rotated: { id: old.id, expiresAt: ends } }, options, () =>
        [
          `${key}\n\nThe key is shown only once. Its ID: ${newId}`,
          ...(rest.expiresAt ? [`It expires ${rest.expiresAt}, like the old key.`] : []),
          `The old key, ${old.prefix}…, works until ${ends}`,
        ].join('\n'),
      )
    })
  addCommand(keys, 'delete', 'delete a key; requests with it are rejected from now on')
    .argument('<id>', 'the ID of the key')
    .action(async (id: string, options: Output) => {
      const [{ deleteApiKey }, { withAudit }] = await Promise.all([
        import('../../workspaces/index.ts'),
        import('./with-audit.ts'),
      ])
      await withAudit(
        'deleteApiKey',
        (em) => deleteApiKey(em, id),
        (workspaceId) => ({ workspaceIds: [workspaceId], targetId: id }),
      )
      printResult({ id, deleted: true }, options, () => `Deleted the key ${id}`)
    })
}
