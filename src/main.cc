#include "app/commands/commands.h"

int main(int argc, char** argv) { return shopbell::app::run_command(argc, argv); }
