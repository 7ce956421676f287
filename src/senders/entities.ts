import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'SenderSettings',
  tableName: 'senders',
  properties: {
    workspaceId: p.uuid().primary(),
    fromName: p.text().nullable(),
    fromAddress: p.text().nullable(),
    replyTo: p.text().nullable(),
    postalAddress: p.text().nullable(),
    trackOpens: p.boolean().onCreate(() => false),
    trackClicks: p.boolean().onCreate(() => false),
    dkimDomain: p.text().nullable(),
    dkimSelector: p.text().nullable(),
    dkimPublic: p.text().nullable(),
    dkimPrivate: p.blob().nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})

/** From whom a workspace's mail is, where that is not the installation's sender. */
export class SenderSettings extends schema.class {}
schema.setClass(SenderSettings)
