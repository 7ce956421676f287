import { defineEntity, p } from '@mikro-orm/core'
import { newId } from '../platform/ids.ts'
import type { ProposalKind, StoredStatus } from './proposal.ts'

const schema = defineEntity({
  name: 'Proposal',
  tableName: 'proposals',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    workspaceId: p.uuid(),
    kind: p.text().$type<ProposalKind>(),
    /** The automation or the campaign. */
    targetId: p.uuid(),
    targetName: p.text(),
    /** The revision of the target that the proposal is based on. */
    revision: p.bigint('number'),
    /** The body of the request that an approval runs. */
    content: p.json<Record<string, unknown>>(),
    /** The hashes of the emails that an approval publishes; `null` for a campaign. */
    emailHashes: p.array<string>().nullable(),
    reason: p.text(),
    rehearsalId: p.uuid().nullable(),
    proposedBy: p.text(),
    decidedBy: p.text().nullable(),
    decidedAt: p.datetime().nullable(),
    status: p
      .text()
      .$type<StoredStatus>()
      .onCreate(() => 'PENDING'),
    createdAt: p.datetime().onCreate(() => new Date()),
    expiresAt: p.datetime(),
  },
})

/** A change that would send email, proposed by a key and decided by a member. */
export class Proposal extends schema.class {}
schema.setClass(Proposal)
