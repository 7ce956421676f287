import { type Command, InvalidArgumentError, Option } from 'commander'
import { isEmailAddress } from '../../platform/email-address.ts'
import { type Role, ROLES } from '../../http/roles.ts'
import { formatTable } from '../table.ts'
import { addCommand, printResult, type Output } from './command.ts'

function parseEmail(text: string): string {
  if (!isEmailAddress(text)) throw new InvalidArgumentError('It must be an email address.')
  return text
}

interface CreateOptions extends Output {
  workspace: string[]
  role: Role
  email?: string
  url?: string
}

export function memberCommands(program: Command): void {
  const members = program.command('member').description('people who sign in, and their workspaces')
  addCommand(members, 'create', 'create an invitation link, which works once and expires after seven days')
    .option(
      '--workspace <id>',
      'a workspace; may be repeated; default: all workspaces',
      (id: string, before: string[]) => [...before, id],
      [] as string[],
    )
    .addOption(new Option('--role <role>', 'what the member may do').choices(ROLES).default('owner'))
    .option('--email <address>', 'the address that the link is for; default: anyone with the link', parseEmail)
    .option('--url <URL>', 'the URL of Dripline for browsers; default: PUBLIC_URL')
    .action(async (options: CreateOptions) => {
      const [
        { createInvitation, invitationUrl },
        { findPublicUrl },
        { readConfig },
        { listWorkspaces },
        { withAudit },
      ] = await Promise.all([
        import('../../accounts/index.ts'),
        import('../../instance/index.ts'),
        import('../../platform/config.ts'),
        import('../../workspaces/index.ts'),
        import('./with-audit.ts'),
      ])
      const { workspace, role, email } = options
      const { invitation, token, url } = await withAudit(
        'invite',
        async (em) => {
          const workspaceIds =
            workspace.length > 0 ? [...new Set(workspace)] : (await listWorkspaces(em)).map(({ id }) => id)
          if (workspaceIds.length === 0)
            throw new Error('There are no workspaces yet. Create one with "init" or "workspace create".')
          const url = options.url ?? (await findPublicUrl(em, readConfig(process.env)))
          return { ...(await createInvitation(em, { workspaceIds, role, email })), workspaceIds, url }
        },
        (made) => ({ workspaceIds: made.workspaceIds, targetId: made.invitation.id }),
      )
      const { id, expiresAt } = invitation
      const link = invitationUrl(url, token)
      printResult({ id, link, role, email: email ?? null, expiresAt: expiresAt.toISOString() }, options, () =>
        [
          link,
          '',
          `The first person to open it becomes ${role}. It is shown only once, and expires ${expiresAt.toISOString()}.`,
        ].join('\n'),
      )
    })
  addCommand(members, 'list', 'list the members of all workspaces').action(async (options: Output) => {
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
    printResult(list, options, (all) =>
      formatTable(
        ['EMAIL', 'ROLE', 'WORKSPACE'],
        all.map(({ email, role, workspaceName }) => ({ cells: [email, role, workspaceName] })),
        'There are no members yet. "member create" creates a link to sign in.',
      ),
    )
  })
}
