import { defineEntity, p } from '@mikro-orm/core'

const schema = defineEntity({
  name: 'SenderSettings',
  tableName: 'senders',
  properties: {
    workspaceId: p.uuid().primary(),
    fromName: p.text().nullable(),
    fromAddress: p.text().nullable(),
    fromDomain: p.text().nullable(),
    replyTo: p.text().nullable(),
    postalAddress: p.text().nullable(),
    brandColor: p.text().nullable(),
    logoPath: p.text().nullable(),
    trackOpens: p.boolean().onCreate(() => false),
    trackClicks: p.boolean().onCreate(() => false),
    warmUpPerDay: p.integer().nullable(),
    warmUpGrowthPercent: p.integer().nullable(),
    warmUpUpTo: p.integer().nullable(),
    warmUpSince: p.date().nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})

/** The sender of a workspace, if it does not use the instance's sender. */
export class SenderSettings extends schema.class {}
schema.setClass(SenderSettings)

const dkimKey = defineEntity({
  name: 'StoredDkimKey',
  tableName: 'dkim_keys',
  properties: {
    workspaceId: p.uuid().primary(),
    role: p.text().$type<'SIGNING' | 'NEXT' | 'PREVIOUS'>().primary(),
    domain: p.text(),
    selector: p.text(),
    publicKey: p.text(),
    privateKey: p.blob().nullable(),
    since: p.datetime().onCreate(() => new Date()),
  },
})

/**
 * A DKIM key of a workspace. SIGNING signs its mail. NEXT will sign once its record is published. PREVIOUS has signed mail that may
 * be in transit.
 */
export class StoredDkimKey extends dkimKey.class {}
dkimKey.setClass(StoredDkimKey)

const provenDomain = defineEntity({
  name: 'ProvenDomain',
  tableName: 'proven_domains',
  properties: {
    domain: p.text().primary(),
    workspaceId: p.uuid(),
    provenAt: p.datetime().onCreate(() => new Date()),
  },
})

/** A domain that a workspace has proven by a DKIM record. No other workspace sends from it. */
export class ProvenDomain extends provenDomain.class {}
provenDomain.setClass(ProvenDomain)

const warmUpDay = defineEntity({
  name: 'WarmUpDay',
  tableName: 'warm_up_days',
  properties: {
    workspaceId: p.uuid().primary(),
    day: p.date().primary(),
    mailed: p.integer().onCreate(() => 0),
  },
})

/** Number of emails that a workspace in warm-up has sent on a day. */
export class WarmUpDay extends warmUpDay.class {}
warmUpDay.setClass(WarmUpDay)

const sendRate = defineEntity({
  name: 'SendRate',
  tableName: 'send_rate',
  properties: {
    id: p.boolean().primary(),
    nextAt: p.datetime(),
  },
})

/** When the next email may be sent within SEND_RATE. One row. */
export class SendRate extends sendRate.class {}
sendRate.setClass(SendRate)
