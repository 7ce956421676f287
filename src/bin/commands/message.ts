import type { Command } from 'commander'
import { formatTable } from '../table.ts'
import { addCommand, printResult, type Output } from './command.ts'

export function messageCommands(program: Command): void {
  const messages = program.command('message').description('messages that need a decision by an operator')
  const MAX_LISTED_MESSAGES = 'list unconfirmed messages and messages that are no longer retried, oldest first'
  addCommand(messages, 'list', MAX_LISTED_MESSAGES).action(async (options: Output) => {
    const [{ MAX_LISTED_MESSAGES, listUnconfirmed }, { withDatabase }] = await Promise.all([
      import('../../messages/index.ts'),
      import('./with-database.ts'),
    ])
    const list = await withDatabase((orm) => listUnconfirmed(orm.em))
    if (list.length === MAX_LISTED_MESSAGES)
      process.stderr.write(
        `Only the oldest ${MAX_LISTED_MESSAGES} are listed. To get all: GET /messages?status=UNCONFIRMED (docs/api.md).\n`,
      )
    printResult(list, options, (all) =>
      formatTable(
        ['ID', 'STATUS', 'SINCE'],
        all.map(({ id, status, claimedAt, contactId, messageId, error }) => ({
          cells: [id, status, claimedAt],
          below: [
            `contact ${contactId}`,
            ...(messageId === null ? [] : [`Message-ID ${messageId}`]),
            ...(error === null ? [] : [error]),
          ],
        })),
        'There are no unconfirmed messages.',
      ),
    )
  })
  addCommand(messages, 'resend', 'send a message again; the contact may get it twice')
    .argument('<id>', 'the ID of the message')
    .action(async (id: string, options: Output) => {
      const { resend } = await import('./resend.ts')
      const resent = await resend(id)
      const { status, error } = resent
      printResult(
        { id, ...resent },
        options,
        () => `The message ${id} is now ${status}${error === null ? '' : `: ${error}`}`,
      )
      // The command succeeds only if the message was sent.
      if (status !== 'SENT') process.exitCode = 1
    })
  addCommand(messages, 'dismiss', 'dismiss a message permanently, without sending it again')
    .argument('<id>', 'the ID of the message')
    .action(async (id: string, options: Output) => {
      const [{ dismissMessage }, { withAudit }] = await Promise.all([
        import('../../messages/index.ts'),
        import('./with-audit.ts'),
      ])
      await withAudit(
        'dismissMessage',
        (transaction) => dismissMessage(transaction, id),
        (workspaceId) => ({ workspaceIds: [workspaceId], targetId: id }),
      )
      printResult({ id, status: 'DISMISSED' }, options, () => `Dismissed the message ${id}`)
    })
}
