import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'EmailContent',
  tableName: 'email_contents',
  properties: {
    automationId: p.uuid().primary(),
    hash: p.text().primary(),
    subject: p.text(),
    html: p.text().nullable(),
    text: p.text().nullable(),
  },
})

/** What an email step says. Immutable, known by the hash of what it holds: versions that share an email share its row. */
export class EmailContent extends schema.class {}
schema.setClass(EmailContent)
