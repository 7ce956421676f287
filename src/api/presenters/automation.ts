import type { AutomationSummary } from '../../db/queries/automations.ts'
import type { Step } from '../../domain/steps.ts'
import { SUMMARY_TRIGGERS } from '../../domain/triggers.ts'
import type { AutomationDetail } from '../../services/automations.ts'

/** The summary shape (specification, section 2.2): status in lower case, trigger under its other name. */
export const presentAutomationSummary = (summary: AutomationSummary) => ({
  id: summary.id,
  name: summary.name,
  status: summary.status.toLowerCase(),
  triggerType: SUMMARY_TRIGGERS[summary.trigger],
  stepCount: summary.stepCount,
  enrolledCount: summary.enrolledCount,
  completedCount: summary.completedCount,
  createdAt: summary.createdAt.toISOString(),
  updatedAt: summary.updatedAt.toISOString(),
})

/** The detail shape (specification, section 2.3). */
export const presentAutomation = ({ automation, steps }: AutomationDetail) => ({
  id: automation.id,
  name: automation.name,
  description: automation.description ?? null,
  status: automation.status,
  trigger: automation.trigger,
  triggerConfig: automation.triggerConfig,
  onSendFailure: automation.onSendFailure,
  createdAt: automation.createdAt.toISOString(),
  updatedAt: automation.updatedAt.toISOString(),
  steps: steps.map(presentStep),
})

/** A step (specification, section 2.4), and the content of an email besides. */
const presentStep = (step: Step, position: number) =>
  step.type === 'WAIT'
    ? { id: step.id, type: step.type, position, subject: null, delayMinutes: step.delayMinutes }
    : {
        id: step.id,
        type: step.type,
        position,
        subject: step.subject,
        html: step.html,
        text: step.text,
        delayMinutes: 0,
      }
