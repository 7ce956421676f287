import { Notice } from './Notice.tsx'

/** Why Dripline paused something itself. */
export const PausedNotice = ({ reason }: { reason: string }) => (
  <Notice title="Dripline paused this">
    <p className="t2">{reason}. Fix the cause, then resume it.</p>
  </Notice>
)
