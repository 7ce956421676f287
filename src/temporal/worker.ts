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
  activities: object
  /** Whether activities belong to the trace of what started their enrollment. */
  traced?: boolean
  /** How long activities that are under way may take to finish at shutdown, in milliseconds. */
  shutdownGraceMs?: number
}

export interface EnrollmentWorkerOptions extends WorkerOptions {
  /** The workflow code, or where it was built to. */
  workflowBundle: { code: string } | { codePath: string }
  /** Enrollments that are kept in memory; what is not is replayed from its history when something happens to it. */
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

/**
 * Emails that local activities hand over at a time keep as many slots of workflow tasks, each for seconds: there are always
 * more of these.
 */
const WORKFLOW_TASKS = 100
const LOCAL_ACTIVITIES = 100

/** A worker for enrollments and their bookkeeping. It polls until it is shut down. */
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
  /** Emails a second, of all workers of the task queue together; without it, as fast as they go. */
  sendRate?: number | undefined
}

/** How many emails wait for each connection in the process: the rest wait at Temporal, for whichever worker comes first. */
const WAITING_PER_CONNECTION = 8

/** A worker for emails that wait for a connection to the mail server: apart, so that nothing else waits with them. */
export const createSendingWorker = ({ connections, sendRate, ...options }: SendingWorkerOptions): Promise<Worker> =>
  Worker.create({
    ...shared(options),
    taskQueue: sendingQueue(options.taskQueue),
    maxConcurrentActivityTaskExecutions: Math.max(40, connections * WAITING_PER_CONNECTION),
    ...(sendRate === undefined ? {} : { maxTaskQueueActivitiesPerSecond: sendRate }),
  })
