import type { Command } from 'commander'
import { table } from '../table.ts'
import { command, show, type Output } from './command.ts'

/** `message …` */
export function messageCommands(program: Command): void {
  const messages = program.command('message').description('messages that an operator has to decide on')
  const LISTED =
    'list those of which nobody knows whether they were sent, and those that nobody tries any more, oldest first'
  command(messages, 'list', LISTED).action(async (options: Output) => {
    const [{ LISTED, listUnconfirmed }, { withDatabase }] = await Promise.all([
      import('../../messages/index.ts'),
      import('./with-database.ts'),
    ])
    const list = await withDatabase((orm) => listUnconfirmed(orm.em))
    if (list.length === LISTED)
      process.stderr.write(
        `These are the oldest ${LISTED}. All: GET /messages?status=UNCONFIRMED, as docs/api.md has it.\n`,
      )
    show(list, options, (all) =>
      table(
        ['ID', 'STATUS', 'SINCE'],
        all.map(({ id, status, claimedAt, contactId, messageId, error }) => ({
          cells: [id, status, claimedAt],
          below: [
            `to the contact ${contactId}`,
            ...(messageId === null ? [] : [`Message-ID ${messageId}`]),
            ...(error === null ? [] : [error]),
          ],
        })),
        'There is no unconfirmed message.',
      ),
    )
  })
  command(messages, 'resend', 'send one once more; the contact may get it twice')
    .argument('<id>', 'the id of the message')
    .action(async (id: string, options: Output) => {
      const { resend } = await import('./resend.ts')
      const resent = await resend(id)
      const { status, error } = resent
      show({ id, ...resent }, options, () => `The message ${id} is ${status} now${error === null ? '' : `: ${error}`}`)
      // What was asked for is that it is sent.
      if (status !== 'SENT') process.exitCode = 1
    })
  command(messages, 'dismiss', 'leave one as it is, for good')
    .argument('<id>', 'the id of the message')
    .action(async (id: string, options: Output) => {
      const [{ dismissMessage }, { withDatabase }] = await Promise.all([
        import('../../messages/index.ts'),
        import('./with-database.ts'),
      ])
      await withDatabase((orm) => dismissMessage(orm.em, id))
      show({ id, status: 'DISMISSED' }, options, () => `Dismissed the message ${id}`)
    })
}
