import type { Headers } from '@temporalio/common'
import type { WorkflowInterceptors } from '@temporalio/workflow'

/** Where OpenTelemetry's interceptors for Temporal's client and activities keep the ids of a trace. */
const TRACE_HEADER = '_tracer-data'

/**
 * Hands the trace of whoever started an enrollment on to its activities, over continue-as-new too. The workflow itself
 * makes no spans: they would put OpenTelemetry's SDK into every workflow's memory, and a wait of a year into one span.
 */
export const interceptors = (): WorkflowInterceptors => {
  let trace: Headers = {}
  const withTrace = <Input extends { headers: Headers }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, ...trace },
  })
  return {
    inbound: [
      {
        execute(input, next) {
          const given = input.headers[TRACE_HEADER]
          if (given) trace = { [TRACE_HEADER]: given }
          return next(input)
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTrace(input)),
        scheduleLocalActivity: (input, next) => next(withTrace(input)),
        continueAsNew: (input, next) => next(withTrace(input)),
      },
    ],
  }
}
