import { explainReply } from '../lib/server-reply.ts'

/** A reply of a mail server: in words, with the original after it. */
export function ServerReply({ reply }: { reply: string }) {
  const words = explainReply(reply)
  if (words === undefined) return <span title={reply}>{reply}</span>
  return (
    <span title={reply}>
      {words} <span className="mono t3">{reply}</span>
    </span>
  )
}
