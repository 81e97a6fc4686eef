import * as vscode from 'vscode';

export interface ReadOnlyContent {
  readonly bytes: Uint8Array;
  /** When it was made, milliseconds since the epoch; 0 for what never changes. */
  readonly changed: number;
}

/** Files that are made when they are read. Their tabs survive the window, because their addresses say what they hold. */
export abstract class ReadOnlyFiles implements vscode.FileSystemProvider {
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;

  /** @throws FileSystemError `FileNotFound` when there is nothing at that address. */
  protected abstract content(uri: vscode.Uri): Promise<ReadOnlyContent>;

  /** Tells that a file has new content. */
  protected changed(uri: vscode.Uri): void {
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, changed } = await this.content(uri);
    const permissions = vscode.FilePermission.Readonly;
    return { type: vscode.FileType.File, ctime: 0, mtime: changed, size: bytes.length, permissions };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.content(uri)).bytes;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
