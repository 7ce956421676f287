import { type Command, InvalidArgumentError, Option } from 'commander'
import { isEmailAddress } from '../../platform/email-address.ts'
import { type Role, ROLES } from '../../http/roles.ts'
import { table } from '../table.ts'
import { command, show, type Output } from './command.ts'

function parseEmail(text: string): string {
  if (!isEmailAddress(text)) throw new InvalidArgumentError('It is no email address.')
  return text
}

interface CreateOptions extends Output {
  workspace: string[]
  role: Role
  email?: string
  url?: string
}

/** `member …` */
export function memberCommands(program: Command): void {
  const members = program.command('member').description('who signs in, and to which workspaces')
  command(members, 'create', 'make a link by which somebody becomes a member, once, for seven days')
    .option(
      '--workspace <id>',
      'a workspace; may be repeated; all of them without it',
      (id: string, before: string[]) => [...before, id],
      [] as string[],
    )
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('owner'))
    .option('--email <address>', 'whom it is for; whoever has the link without it', parseEmail)
    .option('--url <URL>', 'where browsers reach Dripline; PUBLIC_URL without it')
    .action(async (options: CreateOptions) => {
      const [{ invite, linkOf }, { findPublicUrl }, { readConfig }, { listWorkspaces }, { told }] = await Promise.all([
        import('../../accounts/index.ts'),
        import('../../instance/index.ts'),
        import('../../platform/config.ts'),
        import('../../workspaces/index.ts'),
        import('./with-audit.ts'),
      ])
      const { workspace, role, email } = options
      const { invitation, token, url } = await told(
        'invite',
        async (em) => {
          const workspaceIds =
            workspace.length > 0 ? [...new Set(workspace)] : (await listWorkspaces(em)).map(({ id }) => id)
          if (workspaceIds.length === 0)
            throw new Error('There is no workspace yet: "init" or "workspace create" makes one.')
          const url = options.url ?? (await findPublicUrl(em, readConfig(process.env)))
          return { ...(await invite(em, { workspaceIds, role, email })), workspaceIds, url }
        },
        (made) => ({ workspaceIds: made.workspaceIds, targetId: made.invitation.id }),
      )
      const { id, expiresAt } = invitation
      const link = linkOf(url, token)
      show({ id, link, role, email: email ?? null, expiresAt: expiresAt.toISOString() }, options, () =>
        [
          link,
          '',
          `Who opens it first becomes ${role}. It is shown this once, and ends ${expiresAt.toISOString()}.`,
        ].join('\n'),
      )
    })
  command(members, 'list', 'list the members of all workspaces').action(async (options: Output) => {
    const [{ listAllMembers }, { withDatabase }] = await Promise.all([
      import('../../accounts/index.ts'),
      import('./with-database.ts'),
    ])
    const list = (await withDatabase((orm) => listAllMembers(orm.em))).map(({ account, workspace, role }) => ({
      id: account.id,
      email: account.email,
      role,
      workspaceId: workspace.id,
      workspaceName: workspace.name,
    }))
    show(list, options, (all) =>
      table(
        ['EMAIL', 'ROLE', 'WORKSPACE'],
        all.map(({ email, role, workspaceName }) => ({ cells: [email, role, workspaceName] })),
        'Nobody can sign in yet: "member create" makes a link.',
      ),
    )
  })
}
