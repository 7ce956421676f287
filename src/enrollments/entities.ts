import { defineEntity, p } from '@mikro-orm/core'
import type { TemplateVariables } from '../rendering/index.ts'
import type { EnrollmentStatus } from '../sequences/index.ts'

const schema = defineEntity({
  name: 'Enrollment',
  tableName: 'enrollments',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    automationId: p.uuid(),
    contactId: p.uuid(),
    version: p.integer(),
    cause: p.text().nullable(),
    status: p.text().$type<EnrollmentStatus>(),
    held: p.boolean(),
    holds: p.integer(),
    enrolledAt: p.datetime(),
    recordedAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    event: p.json<TemplateVariables['event']>().nullable(),
  },
})

/** A contact in an automation, from its first step to its end. Written by the statements of this room, each of which is a promise. */
export class Enrollment extends schema.class {}
schema.setClass(Enrollment)
