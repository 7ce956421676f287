import type { Command } from 'commander'
import { addCommand, printResult, type Output } from './command.ts'

/** `init` and `migrate`. */
export function instanceCommands(program: Command): void {
  addCommand(
    program,
    'init',
    'create the first two workspaces, live and test, with a key each, unless a workspace exists',
  )
    .option('--url <URL>', 'the URL of the API for clients; default: PUBLIC_URL')
    .action(async (options: Output & { url?: string }) => {
      const [
        { createFirstWorkspace },
        { createFirstInvitation, invitationUrl },
        { findPublicUrl },
        { readConfig },
        { showFirstKeys, showFirstLink },
        { withDatabase },
      ] = await Promise.all([
        import('../../workspaces/index.ts'),
        import('../../accounts/index.ts'),
        import('../../instance/index.ts'),
        import('../../platform/config.ts'),
        import('../first-start.ts'),
        import('./with-database.ts'),
      ])
      const made = await withDatabase((orm) =>
        createFirstWorkspace(orm.em, async (first, transaction) => {
          const token = await createFirstInvitation(transaction)
          const url = options.url ?? (await findPublicUrl(transaction, readConfig(process.env)))
          const link = token === undefined ? null : invitationUrl(url, token)
          printResult({ ...first, link }, options, () =>
            [showFirstKeys(url, first), ...(token === undefined ? [] : ['', showFirstLink(url, token)])].join('\n'),
          )
        }),
      )
      if (!made) {
        printResult(
          null,
          options,
          () => 'A workspace already exists. "key create" creates another key, "member create" a link to sign in.',
        )
      }
    })

  addCommand(program, 'migrate', 'migrate the database schema to this version').action(async (options: Output) => {
    const [{ migrate, MIGRATION_TIMEOUT_MS }, { withDatabase }] = await Promise.all([
      import('../../platform/db/orm.ts'),
      import('./with-database.ts'),
    ])
    const migrations = await withDatabase((orm) => migrate(orm), MIGRATION_TIMEOUT_MS)
    printResult({ migrations }, options, () =>
      migrations.length ? `Migrated: ${migrations.join(', ')}` : 'Nothing to do.',
    )
  })
}
