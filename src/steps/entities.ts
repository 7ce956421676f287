import { defineEntity, p } from '@mikro-orm/core'
import type { ConditionJson, StepResult, StepType } from '../automation-engine/index.ts'

const stepRunTable = defineEntity({
  name: 'StepRun',
  tableName: 'step_runs',
  properties: {
    enrollmentId: p.uuid().primary(),
    stepId: p.uuid().primary(),
    workspaceId: p.uuid(),
    automationId: p.uuid(),
    contactId: p.uuid(),
    version: p.integer(),
    type: p.text().$type<StepType>(),
    startedAt: p.datetime(),
    attempts: p.integer(),
    until: p.datetime().nullable(),
    eventKey: p.text().nullable(),
    filter: p.json<ConditionJson>().nullable(),
    finishedAt: p.datetime().nullable(),
    result: p.json<StepResult>().nullable(),
    detail: p.json<Record<string, unknown>>(),
    saveAs: p.text().nullable(),
    output: p.json<unknown>().nullable(),
  },
})

/** The run of a step that is not an email, in one enrollment. Written only by the statements in this folder. */
export class StepRun extends stepRunTable.class {}
stepRunTable.setClass(StepRun)

const secretTable = defineEntity({
  name: 'WebhookSecret',
  tableName: 'webhook_secrets',
  properties: {
    workspaceId: p.uuid().primary(),
    secret: p.blob(),
    previous: p.blob().nullable(),
    previousUntil: p.datetime().nullable(),
  },
})

/** The encrypted secret that signs the webhooks of a workspace. Written only by the statements in this folder. */
export class WebhookSecret extends secretTable.class {}
secretTable.setClass(WebhookSecret)
