import { Notice } from './Notice.tsx'

/** Why Dripline paused something itself. */
export const PausedNotice = ({ reason }: { reason: string }) => (
  <Notice title="Paused by Dripline">
    <p className="t2">{reason}. Fix the cause, then resume it.</p>
  </Notice>
)
