import faulthandler, sys, threading, signal
faulthandler.enable(); faulthandler.dump_traceback_later(0.05, repeat=True)
signal.signal(signal.SIGXCPU, signal.SIG_IGN); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
signal.signal(signal.SIGALRM, lambda *_: None)
class Undead:
    def __del__(self): Undead()
Undead()
threading.main_thread().join = None
while True: pass
