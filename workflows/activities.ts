import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'

/** How long a worker may be silent before Temporal takes it for dead and gives the email to another. */
const HEARTBEAT_TIMEOUT = '15 seconds'

/**
 * Sending is tried for as long as it takes: an SMTP server that is down for days makes contacts wait, and ejects none.
 * An attempt may last an hour, because it waits out a database that is away rather than forget what it knows.
 */
export const { sendEmail } = proxyActivities<Pick<Activities, 'sendEmail'>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
})

/** Bookkeeping rides in local activities, which cost one event each: a sequence costs as little as a hand-written one. */
export const { beginEnrollment, finishEnrollment } = proxyLocalActivities<
  Pick<Activities, 'beginEnrollment' | 'finishEnrollment'>
>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
})
