import { activityInfo, heartbeat } from '@temporalio/activity'

/** Runs long work with a heartbeat, which lets Temporal notice within seconds that the process died. */
export async function withHeartbeat<Result>(work: () => Promise<Result>): Promise<Result> {
  const { heartbeatTimeoutMs } = activityInfo()
  const beat = setInterval(heartbeat, heartbeatTimeoutMs === undefined ? 5_000 : heartbeatTimeoutMs / 3)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
