import type { Headers } from '@temporalio/common'
import type { WorkflowInterceptors } from '@temporalio/workflow'

/** Header in which OpenTelemetry's interceptors for Temporal's client and activities store the trace IDs. */
const TRACE_HEADER = '_tracer-data'

/**
 * Propagates the trace of an enrollment's starter to its activities, also across continue-as-new. The workflow itself creates no
 * spans: they would load OpenTelemetry's SDK into every workflow's memory, and turn a wait of a year into one span.
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
