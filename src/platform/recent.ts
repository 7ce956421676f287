/** Names that were noted lately: at most so many, the latest, and each for so long. */
export class Recent {
  private readonly until = new Map<string, number>()
  private readonly max: number
  private readonly keepMs: number

  constructor(max: number, keepMs: number) {
    this.max = max
    this.keepMs = keepMs
  }

  note(name: string): void {
    this.until.delete(name)
    this.until.set(name, performance.now() + this.keepMs)
    if (this.until.size > this.max) this.until.delete(this.until.keys().next().value!)
  }

  has(name: string): boolean {
    const until = this.until.get(name)
    return until !== undefined && until > performance.now()
  }
}
