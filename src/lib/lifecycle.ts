/** Something that holds a resource until it is told to let go. */
export interface Disposable {
  dispose(): void;
}

/** A subscription: call with a listener, dispose the result to leave. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Owns disposables and ends them last in, first out. Adding to a disposed store disposes at once, so nothing leaks. */
export class DisposableStore implements Disposable {
  private items: Set<Disposable> | undefined = new Set();

  add<T extends Disposable>(item: T): T {
    if (this.items) this.items.add(item);
    else item.dispose();
    return item;
  }

  dispose(): void {
    const items = this.items;
    this.items = undefined;
    for (const item of [...(items ?? [])].reverse()) item.dispose();
  }
}

/** The owner's side of an `Event`. */
export class Emitter<T> implements Disposable {
  private readonly listeners = new Set<(value: T) => void>();

  readonly event: Event<T> = (listener) => {
    const own = (value: T) => listener(value);
    this.listeners.add(own);
    return { dispose: () => this.listeners.delete(own) };
  };

  /** Calls every listener. One that throws is reported as uncaught and stops neither the others nor the caller. */
  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}
