import { fileURLToPath } from 'node:url'
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry'
import {
  bundleWorkflowCode,
  DefaultLogger,
  type NativeConnection,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker'

/** The workflow code as Temporal runs it: built once a process, from the sources that the tests run too. */
export const bundleWorkflows = (): Promise<WorkflowBundleWithSourceMap> =>
  bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    workflowInterceptorModules: [fileURLToPath(new URL('../../workflows/trace-context.ts', import.meta.url))],
    logger: new DefaultLogger('WARN'),
  })

export interface WorkerOptions {
  connection: NativeConnection
  namespace: string
  taskQueue: string
  /** The workflow code, or where it was built to. */
  workflowBundle: { code: string } | { codePath: string }
  activities: object
  /** Whether activities belong to the trace of what started their enrollment. */
  traced?: boolean
  /** Emails a second, of all workers of the task queue together; without it, as fast as they go. */
  sendRate?: number | undefined
  /** Enrollments that are kept in memory; what is not is replayed from its history when something happens to it. */
  cachedWorkflows: number
  /** How long activities in hand may take to finish at shutdown, in milliseconds. */
  shutdownGraceMs?: number
}

/** A Temporal worker for enrollments. It polls until it is shut down. */
export const createWorker = ({
  shutdownGraceMs = 20_000,
  sendRate,
  traced = false,
  cachedWorkflows,
  ...options
}: WorkerOptions): Promise<Worker> =>
  Worker.create({
    ...options,
    maxCachedWorkflows: cachedWorkflows,
    // Temporal keeps the rate for the whole queue; sending is all that comes over it, the rest are local activities.
    ...(sendRate === undefined ? {} : { maxTaskQueueActivitiesPerSecond: sendRate }),
    ...(traced
      ? { interceptors: { activity: [(ctx) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(ctx) })] } }
      : {}),
    shutdownGraceTime: shutdownGraceMs,
    shutdownForceTime: shutdownGraceMs + 5_000,
  })
