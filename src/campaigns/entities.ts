import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '../platform/ids.ts'
import type { ToleratedRates } from '../reputation/index.ts'
import type { EmailCategory } from '../automation-engine/index.ts'
import type { AbTest } from './ab-test.ts'
import type { Audience, CampaignSource, CampaignStatus } from './campaign.ts'

const schema = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    workspaceId: p.uuid(),
    name: p.text(),
    status: p.text().$type<CampaignStatus>(),
    category: p
      .text()
      .$type<EmailCategory>()
      .onCreate(() => 'marketing'),
    templateId: p.uuid().nullable(),
    templateVersion: p.integer().nullable(),
    source: p.json<CampaignSource>().nullable(),
    abTest: p.json<AbTest>().nullable(),
    audience: p.json<Audience>(),
    throttlePerHour: p.integer().nullable(),
    scheduledAt: p.datetime().nullable(),
    localTime: p.text().nullable(),
    fallbackTimeZone: p.text().nullable(),
    cursor: p.bigint('number').onCreate(() => 0),
    lastPlace: p.bigint('number').nullable(),
    materialized: p.boolean().onCreate(() => false),
    recipientCount: p.bigint('number').onCreate(() => 0),
    nextAt: p.datetime().nullable(),
    /** When the winning variant is decided. `winner` is the decision. */
    decidesAt: p.datetime().nullable(),
    winner: p.smallint().nullable(),
    pausedFrom: p.text().$type<CampaignStatus>().nullable(),
    /** Why Dripline paused the campaign itself; `null` if a member paused it. */
    pauseReason: p.text().nullable(),
    /** The rates at which Dripline paused the campaign because of its reputation. */
    toleratedRates: p.json<ToleratedRates>().onCreate(() => ({})),
    revision: p.integer().onCreate(() => 1),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
  },
})

const contentTable = defineEntity({
  name: 'CampaignContent',
  tableName: 'campaign_contents',
  properties: {
    campaignId: p.uuid().primary(),
    variant: p.smallint().primary(),
    locale: p.text().primary(),
    subject: p.text(),
    html: p.text().nullable(),
    text: p.text().nullable(),
  },
})

/** Compiled content of a campaign, in one variant and language. */
export class CampaignContent extends contentTable.class {}
contentTable.setClass(CampaignContent)

/** One email to many contacts. Each recipient is a row of `messages`. */
export class Campaign extends schema.class {}
schema.setClass(Campaign)
