import { type Command, InvalidArgumentError } from 'commander'
import { DEFAULT_RATE_LIMIT } from '../../workspaces/rate-limit.ts'
import { isScope, type Scope, SCOPES } from '../../workspaces/scopes.ts'
import type { ApiKey } from '../../workspaces/index.ts'
import { table } from '../table.ts'
import { command, parseName, show, type Output } from './command.ts'

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

/** `key …` */
export function keyCommands(program: Command): void {
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
        const [{ createApiKey }, { withDatabase }] = await Promise.all([
          import('../../workspaces/index.ts'),
          import('./with-database.ts'),
        ])
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
    const [{ listApiKeys }, { withDatabase }] = await Promise.all([
      import('../../workspaces/index.ts'),
      import('./with-database.ts'),
    ])
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
      const [{ deleteApiKey }, { withDatabase }] = await Promise.all([
        import('../../workspaces/index.ts'),
        import('./with-database.ts'),
      ])
      await withDatabase((orm) => deleteApiKey(orm.em, id))
      show({ id, deleted: true }, options, () => `Deleted the key ${id}`)
    })
}
