import { activityInfo, heartbeat } from '@temporalio/activity'

/** Does something that takes long. The heartbeat tells Temporal within seconds that the process has died. */
export async function withHeartbeat<Result>(work: () => Promise<Result>): Promise<Result> {
  const { heartbeatTimeoutMs } = activityInfo()
  const beat = setInterval(heartbeat, heartbeatTimeoutMs === undefined ? 5_000 : heartbeatTimeoutMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
