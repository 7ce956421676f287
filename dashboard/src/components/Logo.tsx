/** A line with a drop, for an enrollment and a message. */
export const Logo = ({ size = 20 }: { size?: number }) => (
  <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden>
    <path d="M2 4.5h16" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
    <path d="M10 7.6c2.1 2.4 3.7 4.5 3.7 6.4a3.7 3.7 0 0 1-7.4 0c0-1.9 1.6-4 3.7-6.4z" fill="var(--accent-solid)" />
  </svg>
)
