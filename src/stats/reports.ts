import {
  clickedLinks,
  type DayResults,
  type LinkClicks,
  RESULT_COUNTERS,
  type ResultCounts,
  resultsByDay,
} from '../messages/index.ts'
import { NO_STEP } from '../counters/index.ts'
import { domainKey } from '../platform/email-address.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import {
  domainByDay,
  type DomainResults,
  largestDomains,
  recentCounts,
  stepCounts,
  type TemplateUse,
  usesOfTemplate,
} from './queries.ts'

/** The results of an automation's emails. */
export interface AutomationReport {
  automationId: string
  total: ResultCounts
  /** The results of the days by which its reputation is judged. */
  recent: ResultCounts
  steps: { stepId: string; counts: ResultCounts }[]
  days: DayResults[]
  links: LinkClicks[]
}

/** Reads the results of an existing automation. @param days the number of days to list */
export async function getAutomationReport(
  em: EntityManager,
  automationId: string,
  days: number,
): Promise<AutomationReport> {
  const steps = (await stepCounts(em, [automationId])).filter(({ stepId }) => stepId !== NO_STEP)
  return {
    automationId,
    total: sumOf(steps),
    recent: (await recentCounts(em, [automationId])).get(automationId) ?? {},
    steps: steps.filter(({ counts }) => RESULT_COUNTERS.some((counter) => (counts[counter] ?? 0) > 0)),
    days: await resultsByDay(em, automationId, days),
    links: await clickedLinks(em, automationId),
  }
}

/** The results of the emails with a template. */
export interface TemplateReport {
  templateId: string
  total: ResultCounts
  uses: TemplateUse[]
}

/** Reads the results of an existing template. */
export async function getTemplateReport(
  em: EntityManager,
  workspaceId: string,
  templateId: string,
): Promise<TemplateReport> {
  const uses = await usesOfTemplate(em, workspaceId, templateId)
  return { templateId, total: sumOf(uses), uses }
}

/** The results of a workspace's messages by receiving domain. */
export interface DomainsReport {
  total: ResultCounts
  domains: DomainResults[]
  /** All domains that are not listed. */
  others: ResultCounts
  days: DayResults[]
}

/** Reads the results of the largest domains, or of one. */
export async function getDomainsReport(
  em: EntityManager,
  workspaceId: string,
  { days, limit, domain }: { days: number; limit: number; domain?: string | undefined },
): Promise<DomainsReport> {
  const period = { workspaceId, days }
  if (domain !== undefined) {
    const name = domainKey(domain)
    const its = await domainByDay(em, period, name)
    const total = sumOf(its)
    return {
      total,
      domains: its.length > 0 ? [{ domain: name, counts: total }] : [],
      others: {},
      days: its,
    }
  }
  const all = await domainByDay(em, period, '')
  const domains = await largestDomains(em, period, limit)
  const total = sumOf(all)
  const listed = sumOf(domains)
  const others = Object.fromEntries(
    Object.entries(total).map(([counter, count = 0]) => [counter, Math.max(0, count - (listed[counter] ?? 0))]),
  )
  return { total, domains, others, days: all }
}

function sumOf(parts: readonly { counts: ResultCounts }[]): ResultCounts {
  const total: ResultCounts = {}
  for (const { counts } of parts)
    for (const [counter, count = 0] of Object.entries(counts)) total[counter] = (total[counter] ?? 0) + count
  return total
}
