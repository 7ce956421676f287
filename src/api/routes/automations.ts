import type Router from '@koa/router'
import { Automation } from '../../db/entities/automation.ts'
import { automationPage } from '../../db/queries/automations.ts'
import { invalid } from '../../domain/errors.ts'
import { createAutomation, getAutomation, replaceSteps, updateAutomation } from '../../services/automations.ts'
import { deleteAutomation } from '../../services/delete-automation.ts'
import { enrollContact } from '../../services/enroll-contact.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { requireScope } from '../middleware/require-scope.ts'
import { listEnvelope, readPage } from '../pagination.ts'
import { presentAutomation, presentAutomationSummary } from '../presenters/automation.ts'
import { createAutomationSchema, enrollSchema, stepsSchema, updateAutomationSchema } from '../schemas/automations.ts'
import { parse } from '../schemas/parse.ts'
import type { ApiContext, ApiState } from '../state.ts'

const idOf = (ctx: ApiContext): string => ctx.params['id'] ?? ''

export function automationRoutes(router: Router<ApiState>, dependencies: ApiDependencies): void {
  const { em } = dependencies

  router.get('/automations', requireScope('automations:read'), async (ctx) => {
    const page = readPage(ctx.query)
    const workspaceId = ctx.state.workspace.id
    const [summaries, total] = await Promise.all([
      automationPage(em.fork(), workspaceId, page),
      em.fork().count(Automation, { workspaceId }),
    ])
    ctx.body = listEnvelope(summaries.map(presentAutomationSummary), page, total)
  })

  router.post('/automations', requireScope('automations:write'), async (ctx) => {
    const input = parse(createAutomationSchema, ctx.request.body)
    ctx.status = 201
    ctx.body = { data: presentAutomation(await createAutomation(em, ctx.state.workspace.id, input)) }
  })

  router.get('/automations/:id', requireScope('automations:read'), async (ctx) => {
    ctx.body = { data: presentAutomation(await getAutomation(em, ctx.state.workspace.id, idOf(ctx))) }
  })

  router.patch('/automations/:id', requireScope('automations:write'), async (ctx) => {
    const change = parse(updateAutomationSchema, ctx.request.body)
    if (Object.keys(change).length === 0) throw invalid('No updatable fields provided')
    ctx.body = { data: presentAutomation(await updateAutomation(em, ctx.state.workspace.id, idOf(ctx), change)) }
  })

  router.put('/automations/:id/steps', requireScope('automations:write'), async (ctx) => {
    const { steps } = parse(stepsSchema, ctx.request.body)
    ctx.body = { data: presentAutomation(await replaceSteps(em, ctx.state.workspace.id, idOf(ctx), steps)) }
  })

  router.delete('/automations/:id', requireScope('automations:write'), async (ctx) => {
    await deleteAutomation(em, ctx.state.workspace.id, idOf(ctx))
    ctx.body = { data: { id: idOf(ctx), deleted: true } }
  })

  router.post('/automations/:id/enroll', requireScope('automations:write'), async (ctx) => {
    const input = parse(enrollSchema, ctx.request.body)
    const result = await enrollContact(dependencies, ctx.state.workspace.id, idOf(ctx), input)
    ctx.status = 202
    ctx.body = {
      data: {
        automationId: result.automationId,
        contactId: result.contactId,
        enrolled: result.enrolled,
        matchingAutomations: result.enrolled ? 1 : 0,
        enrolledAt: result.enrolledAt.toISOString(),
      },
    }
  })
}
