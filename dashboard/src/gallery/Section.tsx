import type { ReactNode } from 'react'

/** The states of a primitive. */
export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} style={{ marginBlock: 16, padding: 24, background: 'var(--surface)' }}>
    <h2 style={{ marginBottom: 24 }}>{title}</h2>
    {children}
  </section>
)

/** One state. @param dir of its texts */
export const State = ({ title, dir, children }: { title: string; dir?: 'rtl' | undefined; children: ReactNode }) => (
  <div role="group" aria-label={title} style={{ marginBottom: 24 }}>
    <p className="small t3" style={{ marginBottom: 8 }}>
      {title}
    </p>
    <div dir={dir}>{children}</div>
  </div>
)
