import { fileURLToPath } from 'node:url'
import type { Context } from '@temporalio/activity'
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry'
import {
  bundleWorkflowCode,
  DefaultLogger,
  type NativeConnection,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker'
import { sendingQueue } from './task-queues.ts'

/** Bundles the workflow code, once per process, from the sources that the tests use. */
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
  activities: object
  /** True if activities belong to the trace that started their enrollment. */
  traced?: boolean
  /** Milliseconds that running activities have to finish at shutdown. */
  shutdownGraceMs?: number
}

export interface EnrollmentWorkerOptions extends WorkerOptions {
  /** The workflow code, or the path of its bundle. */
  workflowBundle: { code: string } | { codePath: string }
  /** Enrollments that are cached in memory. Others are replayed from their history when something happens to them. */
  cachedWorkflows: number
}

const shared = ({ shutdownGraceMs = 20_000, traced = false, connection, namespace, activities }: WorkerOptions) => ({
  connection,
  namespace,
  activities,
  ...(traced
    ? {
        interceptors: { activity: [(ctx: Context) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(ctx) })] },
      }
    : {}),
  shutdownGraceTime: shutdownGraceMs,
  shutdownForceTime: shutdownGraceMs + 5_000,
})

/** Local activities that send emails occupy slots of workflow tasks for seconds, so there must be more slots than connections. */
const WORKFLOW_TASKS = 100
const LOCAL_ACTIVITIES = 100

/** Creates a worker for enrollments and their bookkeeping. It polls until it is shut down. */
export const createWorker = ({
  workflowBundle,
  cachedWorkflows,
  ...options
}: EnrollmentWorkerOptions): Promise<Worker> =>
  Worker.create({
    ...shared(options),
    taskQueue: options.taskQueue,
    workflowBundle,
    maxCachedWorkflows: cachedWorkflows,
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
    maxConcurrentLocalActivityExecutions: LOCAL_ACTIVITIES,
  })

export interface SendingWorkerOptions extends WorkerOptions {
  /** Connections to the mail server. */
  connections: number
}

/** Emails that wait for each connection in the process. Others wait in Temporal for the first free worker. */
const WAITING_PER_CONNECTION = 8

/**
 * Creates a worker for emails that wait for a connection to the mail server. It is separate so that no other work waits behind
 * them.
 */
export const createSendingWorker = ({ connections, ...options }: SendingWorkerOptions): Promise<Worker> =>
  Worker.create({
    ...shared(options),
    taskQueue: sendingQueue(options.taskQueue),
    maxConcurrentActivityTaskExecutions: Math.max(40, connections * WAITING_PER_CONNECTION),
  })
