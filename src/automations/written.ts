import { etagOf, warn } from '../http/index.ts'
import type { Caller } from '../workspaces/index.ts'
import type { AutomationDetail } from './automations.ts'
import { presentWrittenAutomation } from './responses.ts'

/** The response to a write. @param warnings about its templates */
export const written = (
  caller: Caller,
  automation: AutomationDetail,
  body: object,
  warnings: readonly string[] = [],
) => ({
  status: 200,
  headers: { ...warn(warnings), ...etagOf(automation.automation.revision) },
  body: { data: presentWrittenAutomation(caller, automation, body) },
})
