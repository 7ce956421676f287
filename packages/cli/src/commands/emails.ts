import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { defineCommand, parseObject, UsageError } from '../command.ts'

export const emailCommands = [
  defineCommand({
    call: 'emails send',
    what: 'Sends an email to one address: a template, or a subject with a text or HTML.',
    options: {
      to: { takes: 'EMAIL', what: 'required' },
      template: { takes: 'ID', what: 'the ID of a template' },
      data: { takes: 'JSON', what: 'the values of the template, an object' },
      subject: { takes: 'TEXT', what: 'the subject' },
      text: { takes: 'TEXT', what: 'the text' },
      html: { takes: 'FILE', what: 'a file with the HTML' },
      from: { takes: 'SENDER', what: `the sender; default: the sender of the workspace` },
      'reply-to': { takes: 'EMAIL', what: 'the address for replies' },
      attach: { takes: 'FILE', many: true, what: 'a file to attach' },
      tag: { takes: 'TAG', many: true, what: 'your own label for the email' },
      at: { takes: 'TIME', what: 'when to send it, such as 2027-01-31T12:00:00Z; default: now' },
      key: { takes: 'KEY', what: 'an idempotency key: the email is sent once for it within 24 hours' },
    },
    async run({ options, output, connect }) {
      const { to, template, subject, text, html, from, attach, tag, at, key } = options
      if (to === undefined) throw new UsageError('--to is missing.')
      if ((template === undefined) === (subject === undefined))
        throw new UsageError('Pass either --template or --subject.')
      const data = parseObject(options.data, 'data')
      const email = await connect().emails.send(
        {
          to,
          ...(template !== undefined && { templateId: template }),
          ...(data && { data }),
          ...(subject !== undefined && { subject }),
          ...(text !== undefined && { text }),
          ...(html !== undefined && { html: readFileSync(html, 'utf8') }),
          ...(from !== undefined && { from }),
          ...(options['reply-to'] !== undefined && { replyTo: options['reply-to'] }),
          ...(attach && {
            attachments: attach.map((file) => ({
              filename: basename(file),
              content: readFileSync(file).toString('base64'),
            })),
          }),
          ...(tag && { tags: tag }),
          ...(at !== undefined && { scheduledAt: at }),
        },
        key === undefined ? {} : { idempotencyKey: key },
      )
      output.result(email, ({ id }) => `Accepted: ${id}`)
    },
  }),
  defineCommand({
    call: 'emails get',
    args: ['ID'],
    what: 'Shows an email and what happened to it.',
    async run({ args: [id = ''], output, connect }) {
      output.resource(await connect().emails.get(id))
    },
  }),
  defineCommand({
    call: 'emails cancel',
    args: ['ID'],
    what: 'Cancels an email that was not sent yet.',
    async run({ args: [id = ''], output, connect }) {
      output.result(await connect().emails.cancel(id), () => `Cancelled: ${id}`)
    },
  }),
]
