import { AUTOMATION_NOT_FOUND, findAutomation } from '../automations/index.ts'
import { ok, operation, single } from '../http/index.ts'
import {
  automationReportResponse,
  domainsReportResponse,
  presentAutomationReport,
  presentDomainsReport,
  presentTemplateReport,
  templateReportResponse,
} from './report-responses.ts'
import { getTemplate, TEMPLATE_NOT_FOUND } from '../templates/index.ts'
import { getAutomationReport, getDomainsReport, getTemplateReport } from './reports.ts'
import { conversionResponse, getConversion, presentConversion } from './conversion.ts'
import { automationReportQuery, conversionQuery, domainsReportQuery, transactionalQuery } from './schemas.ts'
import { getTransactionalReport, presentTransactional, transactionalResponse } from './transactional.ts'

export const reportOperations = [
  operation({
    id: 'getAutomationReport',
    method: 'GET',
    path: '/automations/{id}/report',
    tag: 'Stats',
    summary: 'Get the report of an automation',
    description:
      'The results of its emails: in total, by step, by day and by link. Emails to contacts that were erased are not counted.',
    scope: 'automations:read',
    query: automationReportQuery,
    responses: { 200: { description: 'The report.', schema: single(automationReportResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const unit = em.fork()
      const { id } = await findAutomation(unit, caller.workspace.id, params.id)
      return ok(presentAutomationReport(await getAutomationReport(unit, id, query.days), caller))
    },
  }),

  operation({
    id: 'getConversion',
    method: 'GET',
    path: '/automations/{id}/conversion',
    tag: 'Stats',
    summary: 'Get the conversion of an automation',
    description:
      'How many enrollments reached the goal, and when: by the week and the version on which contacts entered. An enrollment counts ' +
      'once it began longer ago than the window, so that contacts who still have time do not lower the rate.',
    scope: 'automations:read',
    query: conversionQuery,
    responses: { 200: { description: 'The conversion.', schema: single(conversionResponse) } },
    errors: { 404: [AUTOMATION_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const unit = em.fork()
      const automation = await findAutomation(unit, caller.workspace.id, params.id)
      return ok(presentConversion(await getConversion(unit, automation.id, query.windowDays), caller))
    },
  }),

  operation({
    id: 'getTemplateReport',
    method: 'GET',
    path: '/templates/{id}/report',
    tag: 'Stats',
    summary: 'Get the report of a template',
    description:
      'The results of the emails of campaigns and automations that use it. A step counts with all of its emails, also those that it ' +
      'sent before it used the template.',
    scope: 'templates:read',
    responses: { 200: { description: 'The report.', schema: single(templateReportResponse) } },
    errors: { 404: [TEMPLATE_NOT_FOUND] },
    async handle({ caller, params }, { em }) {
      const unit = em.fork()
      const { template } = await getTemplate(unit, caller.workspace.id, params.id)
      return ok(presentTemplateReport(await getTemplateReport(unit, caller.workspace.id, template.id)))
    },
  }),

  operation({
    id: 'getDomainsReport',
    method: 'GET',
    path: '/reports/domains',
    tag: 'Stats',
    summary: 'Get the report on receiving domains',
    description:
      'The results of all emails that were sent in the last days, by the domain of the recipient. The numbers are a few seconds late. ' +
      'Emails to contacts that were erased are not counted.',
    scope: 'automations:read',
    query: domainsReportQuery,
    responses: { 200: { description: 'The report.', schema: single(domainsReportResponse) } },
    async handle({ caller, query }, { em }) {
      return ok(presentDomainsReport(await getDomainsReport(em.fork(), caller.workspace.id, query)))
    },
  }),

  operation({
    id: 'getTransactionalReport',
    method: 'GET',
    path: '/reports/transactional',
    tag: 'Stats',
    summary: 'Get the report on transactional emails',
    description:
      'The transactional emails that were accepted in the last hours: in total, by template, and by their first tag if they have no ' +
      'template.',
    scope: 'automations:read',
    query: transactionalQuery,
    responses: { 200: { description: 'The report.', schema: single(transactionalResponse) } },
    async handle({ caller, query }, { em }) {
      return ok(presentTransactional(await getTransactionalReport(em.fork(), caller.workspace.id, query.hours)))
    },
  }),
]
